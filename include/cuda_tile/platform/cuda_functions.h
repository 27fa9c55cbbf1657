// Functions of numbers that CUDA has built in and all code may call: minima, bits, fast functions, which may
// be exact. build() includes this file before every source that no compiler of NVIDIA's reads.
#pragma once

#include "cuda_tile/predefined.h"

#if CUDA_TILE_RECORD
#define CUDA_TILE_OF_C(name) name // which the translator knows
#else
#define CUDA_TILE_OF_C(name) __builtin_##name
#endif

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
inline float min(float a, float b) { return CUDA_TILE_OF_C(fminf)(a, b); }
inline float max(float a, float b) { return CUDA_TILE_OF_C(fmaxf)(a, b); }
inline double min(double a, double b) { return CUDA_TILE_OF_C(fmin)(a, b); }
inline double max(double a, double b) { return CUDA_TILE_OF_C(fmax)(a, b); }
inline double min(float a, double b) { return CUDA_TILE_OF_C(fmin)(a, b); }
inline double max(float a, double b) { return CUDA_TILE_OF_C(fmax)(a, b); }
inline double min(double a, float b) { return CUDA_TILE_OF_C(fmin)(a, b); }
inline double max(double a, float b) { return CUDA_TILE_OF_C(fmax)(a, b); }

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

extern "C" { // as the C library declares some of them
inline float __expf(float x) noexcept { return CUDA_TILE_OF_C(expf)(x); }
inline float __logf(float x) noexcept { return CUDA_TILE_OF_C(logf)(x); }
inline float __log2f(float x) noexcept { return CUDA_TILE_OF_C(log2f)(x); }
inline float __sinf(float x) noexcept { return CUDA_TILE_OF_C(sinf)(x); }
inline float __cosf(float x) noexcept { return CUDA_TILE_OF_C(cosf)(x); }
inline float __powf(float x, float y) noexcept { return CUDA_TILE_OF_C(powf)(x, y); }
#if !CUDA_TILE_RECORD && !defined(CUDA_TILE_FUNCTIONS_OF_RUNTIME) // which declare it
inline float rsqrtf(float x) noexcept { return 1.0f / __builtin_sqrtf(x); }
inline double rsqrt(double x) noexcept { return 1.0 / __builtin_sqrt(x); }
#endif
}
inline float __fdividef(float x, float y) { return x / y; }

#if CUDA_TILE_RECORD || !defined(CUDA_TILE_FUNCTIONS_OF_RUNTIME) // which has every rounding mode
constexpr int __float2int_rz(float x) { return static_cast<int>(x); }
constexpr float __int2float_rn(int x) { return static_cast<float>(x); }
constexpr float __fadd_rn(float x, float y) { return x + y; }
constexpr float __fsub_rn(float x, float y) { return x - y; }
constexpr float __fmul_rn(float x, float y) { return x * y; }
constexpr float __fdiv_rn(float x, float y) { return x / y; }
constexpr float __frcp_rn(float x) { return 1.0f / x; }
inline float __fsqrt_rn(float x) { return CUDA_TILE_OF_C(sqrtf)(x); }
inline float __fmaf_rn(float x, float y, float z) { return CUDA_TILE_OF_C(fmaf)(x, y, z); }
#endif
inline float __saturatef(float x) { return CUDA_TILE_OF_C(fminf)(CUDA_TILE_OF_C(fmaxf)(x, 0.0f), 1.0f); }

template <typename T>
T __ldg(T const* place) {
  return *place;
}

#undef CUDA_TILE_OF_C
