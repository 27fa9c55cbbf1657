// tf32, where NVIDIA's cuda_tf32.h is not installed.
#pragma once

#include "cuda_tile/compatible/small_floats/small_float.h"

struct __nv_tf32 : cuda_tile::small_float<__nv_tf32, unsigned, cuda_tile::conversions::written> {
  using small_float::small_float;
};
