// printf in kernels: there without <cstdio>, as compilers of GPU code have it, and for numbers and pointers
// only.
#pragma once

#include "cuda_tile/config.h"

#if !CUDA_TILE_ON_CUDA
extern "C" int printf(char const*, ...);
#endif

/// C takes an object of any class behind the format, and prints some of its bytes.
template <typename... Arguments>
  requires(... || __is_class(Arguments))
__host__ __device__ int printf(char const*, Arguments const&...) {
  static_assert(sizeof...(Arguments) == 0,
                "printf takes no tile or other object: print a tile by cuda_tile::print(t) of "
                "cuda_tile/print.h, a small float as static_cast<float>(x)");
  return 0;
}

namespace std {
using ::printf;
}
