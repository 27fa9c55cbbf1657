// The types of 8 bits, where NVIDIA's cuda_fp8.h is not installed; as that does, it brings half and bfloat16.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct __nv_fp8_e4m3 : cuda_tile::small_float<__nv_fp8_e4m3, unsigned char, cuda_tile::conversions::written> {
  using small_float::small_float;
};
struct __nv_fp8_e5m2 : cuda_tile::small_float<__nv_fp8_e5m2, unsigned char, cuda_tile::conversions::written> {
  using small_float::small_float;
};
struct __nv_fp8_e8m0 : cuda_tile::small_float<__nv_fp8_e8m0, unsigned char, cuda_tile::conversions::written> {
  using small_float::small_float;
};
