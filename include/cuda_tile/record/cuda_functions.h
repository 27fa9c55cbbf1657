// Functions of numbers that CUDA has built in and tile code may call.
#pragma once

#include "cuda_tile/platform/cuda_functions.h"

constexpr bool isnan(float x) { return x != x; }
constexpr bool isnan(double x) { return x != x; }
constexpr bool isinf(float x) { return x == x && !(x - x == 0); }
constexpr bool isinf(double x) { return x == x && !(x - x == 0); }
constexpr bool isfinite(float x) { return x - x == 0; }
constexpr bool isfinite(double x) { return x - x == 0; }

constexpr bool signbit(float x) { return __float_as_int(x) < 0; }
constexpr bool signbit(double x) { return __double_as_longlong(x) < 0; }

// Those that Tile IR has no operation for, by others that are exact.
#define CUDA_TILE_ROUNDED(T, f, limit)                                                                       \
  inline T trunc##f(T x) { return copysign##f(floor##f(fabs##f(x)), x); }                                    \
  inline T round##f(T x) {                                                                                   \
    T const whole = floor##f(fabs##f(x));                                                                    \
    return copysign##f(fabs##f(x) - whole < T(0.5) ? whole : whole + 1, x);                                  \
  }                                                                                                          \
  inline T rint##f(T x) { /* from limit on all numbers are whole */                                          \
    T const size = fabs##f(x);                                                                               \
    return copysign##f(size < limit ? (size + limit) - limit : size, x);                                     \
  }                                                                                                          \
  inline T nearbyint##f(T x) { return rint##f(x); }                                                          \
  inline long lround##f(T x) { return static_cast<long>(round##f(x)); }                                      \
  inline long long llround##f(T x) { return static_cast<long long>(round##f(x)); }                           \
  inline long lrint##f(T x) { return static_cast<long>(rint##f(x)); }                                        \
  inline long long llrint##f(T x) { return static_cast<long long>(rint##f(x)); }                             \
  inline T fdim##f(T x, T y) { return x <= y ? T(0) : x - y; }
CUDA_TILE_ROUNDED(float, f, 0x1p23f)
CUDA_TILE_ROUNDED(double, , 0x1p52)
#undef CUDA_TILE_ROUNDED
