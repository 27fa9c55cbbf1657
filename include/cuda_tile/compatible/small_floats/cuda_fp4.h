// The type of 4 bits, one to a byte, where NVIDIA's cuda_fp4.h is not installed.
#pragma once

#include <cuda_fp8.h>

struct __nv_fp4_e2m1 : cuda_tile::small_float<__nv_fp4_e2m1, unsigned char, cuda_tile::conversions::written> {
  using small_float::small_float;
};
