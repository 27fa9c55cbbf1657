// Functions of numbers that CUDA has built in and all code may call: minima, bits, fast functions, which may
// be exact. The C library's functions are declared before this is included.
#pragma once

#include "cuda_tile/predefined.h"

#define CUDA_TILE_EXTREMA(T, A, B)                                                                           \
  constexpr T min(A a, B b) {                                                                                \
    return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);                    \
  }                                                                                                          \
  constexpr T max(A a, B b) {                                                                                \
    return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);                    \
  }
CUDA_TILE_EXTREMA(int, int, int)
CUDA_TILE_EXTREMA(unsigned, unsigned, unsigned)
CUDA_TILE_EXTREMA(unsigned, int, unsigned)
CUDA_TILE_EXTREMA(unsigned, unsigned, int)
CUDA_TILE_EXTREMA(long, long, long)
CUDA_TILE_EXTREMA(unsigned long, unsigned long, unsigned long)
CUDA_TILE_EXTREMA(long long, long long, long long)
CUDA_TILE_EXTREMA(unsigned long long, unsigned long long, unsigned long long)
#undef CUDA_TILE_EXTREMA
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(float a, double b) { return fmin(a, b); }
inline double max(float a, double b) { return fmax(a, b); }
inline double min(double a, float b) { return fmin(a, b); }
inline double max(double a, float b) { return fmax(a, b); }

constexpr int __popc(unsigned x) { return __builtin_popcount(x); }
constexpr int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
constexpr int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
constexpr int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
constexpr int __ffs(int x) { return x == 0 ? 0 : __builtin_ctz(static_cast<unsigned>(x)) + 1; }
constexpr unsigned __brev(unsigned x) {
#ifdef __clang__
  return __builtin_bitreverse32(x);
#else
  x = (x & 0x55555555) << 1 | (x >> 1 & 0x55555555);
  x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333);
  x = (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f);
  return __builtin_bswap32(x);
#endif
}

constexpr int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
constexpr unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
constexpr float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
constexpr float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
constexpr long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
constexpr double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }

inline float __expf(float x) { return expf(x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }

template <typename T>
T __ldg(T const* place) {
  return *place;
}
