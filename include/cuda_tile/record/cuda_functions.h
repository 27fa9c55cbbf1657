// Functions of numbers that CUDA has built in and tile code may call.
#pragma once

#include "cuda_tile/platform/cuda_functions.h"

constexpr bool isnan(float x) { return x != x; }
constexpr bool isnan(double x) { return x != x; }
constexpr bool isinf(float x) { return x == x && !(x - x == 0); }
constexpr bool isinf(double x) { return x == x && !(x - x == 0); }
constexpr bool isfinite(float x) { return x - x == 0; }
constexpr bool isfinite(double x) { return x - x == 0; }

constexpr int __float2int_rz(float x) { return static_cast<int>(x); }
constexpr float __int2float_rn(int x) { return static_cast<float>(x); }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fmul_rn(float x, float y) { return x * y; }
