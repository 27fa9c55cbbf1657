// Directed rounding on CUDA devices [1.9.1], by instructions. Mode is a value of rounding_mode: 1 toward
// zero, 2 toward negative, 3 toward positive.
#pragma once

#include "cuda_tile/config.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::platform::rounded {

#define CUDA_TILE_DIRECTED(F, name, intrinsic, parameters, arguments)                                        \
  template <int Mode>                                                                                        \
  __device__ __forceinline__ F name parameters {                                                             \
    if constexpr (Mode == 1)                                                                                 \
      return intrinsic##_rz arguments;                                                                       \
    else if constexpr (Mode == 2)                                                                            \
      return intrinsic##_rd arguments;                                                                       \
    else                                                                                                     \
      return intrinsic##_ru arguments;                                                                       \
  }
CUDA_TILE_DIRECTED(float, add, __fadd, (float a, float b), (a, b))
CUDA_TILE_DIRECTED(float, sub, __fsub, (float a, float b), (a, b))
CUDA_TILE_DIRECTED(float, mul, __fmul, (float a, float b), (a, b))
CUDA_TILE_DIRECTED(float, div, __fdiv, (float a, float b), (a, b))
CUDA_TILE_DIRECTED(float, fma, __fmaf, (float a, float b, float c), (a, b, c))
CUDA_TILE_DIRECTED(float, sqrt, __fsqrt, (float a), (a))
CUDA_TILE_DIRECTED(double, add, __dadd, (double a, double b), (a, b))
CUDA_TILE_DIRECTED(double, sub, __dsub, (double a, double b), (a, b))
CUDA_TILE_DIRECTED(double, mul, __dmul, (double a, double b), (a, b))
CUDA_TILE_DIRECTED(double, div, __ddiv, (double a, double b), (a, b))
CUDA_TILE_DIRECTED(double, fma, __fma, (double a, double b, double c), (a, b, c))
CUDA_TILE_DIRECTED(double, sqrt, __dsqrt, (double a), (a))
#undef CUDA_TILE_DIRECTED

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform::rounded

namespace cuda::tiles::inline CUDA_TILE_ABI::platform {

// [2.2.6] [2.4.8] the device's approximations

__device__ __forceinline__ float approximate_div(float a, float b) {
  float result;
  asm("div.approx.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
__device__ __forceinline__ float full_div(float a, float b) {
  float result;
  asm("div.full.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
__device__ __forceinline__ float approximate_sqrt(float a) {
  float result;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(result) : "f"(a));
  return result;
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform
