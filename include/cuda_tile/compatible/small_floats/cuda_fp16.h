// half, where NVIDIA's cuda_fp16.h is not installed.
#pragma once

#include "cuda_tile/compatible/small_floats/small_float.h"

struct __half : cuda_tile::small_float<__half, unsigned short, cuda_tile::conversions::implicit> {
  using small_float::small_float;
};
using half = __half;

CUDA_TILE_BITS __half __float2half(float x) { return x; }
CUDA_TILE_BITS __half __float2half_rn(float x) { return x; }
CUDA_TILE_BITS __half __double2half(double x) { return x; }
CUDA_TILE_BITS float __half2float(__half x) { return x; }
CUDA_TILE_BITS unsigned short __half_as_ushort(__half x) { return x.__x; }
CUDA_TILE_BITS __half __ushort_as_half(unsigned short bits) {
  return cuda::tiles::platform::bit_cast<__half>(bits);
}
