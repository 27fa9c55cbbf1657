// bfloat16, where NVIDIA's cuda_bf16.h is not installed.
#pragma once

#include "cuda_tile/compatible/small_floats/small_float.h"

struct __nv_bfloat16
    : cuda_tile::small_float<__nv_bfloat16, unsigned short, cuda_tile::conversions::implicit> {
  using small_float::small_float;
};
using nv_bfloat16 = __nv_bfloat16;

CUDA_TILE_BITS __nv_bfloat16 __float2bfloat16(float x) { return x; }
CUDA_TILE_BITS __nv_bfloat16 __float2bfloat16_rn(float x) { return x; }
CUDA_TILE_BITS __nv_bfloat16 __double2bfloat16(double x) { return x; }
CUDA_TILE_BITS float __bfloat162float(__nv_bfloat16 x) { return x; }
CUDA_TILE_BITS unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.__x; }
CUDA_TILE_BITS __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  return cuda::tiles::platform::bit_cast<__nv_bfloat16>(bits);
}
