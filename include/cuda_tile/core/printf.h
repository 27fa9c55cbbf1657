// printf in kernels accepts numbers and pointers only.
#pragma once

#include "cuda_tile/config.h"

// C accepts an object of any class after the format and prints some of its bytes. These overloads are chosen
// instead: the first for our own classes, which are in this namespace, and std::printf for all classes. A
// template beside ::printf itself would conflict with kernels and function pointers of that name.

namespace cuda::tiles::inline CUDA_TILE_ABI {

template <typename... Arguments>
  requires(... || __is_class(Arguments))
__host__ __device__ int printf(char const*, Arguments const&...) {
  static_assert(sizeof...(Arguments) == 0,
                "printf takes no tile or other object: print a tile by cuda_tile::print(t) of "
                "cuda_tile/print.h, a small float as static_cast<float>(x)");
  return 0;
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI

namespace std {

using ::printf;

template <typename... Arguments>
  requires(... || __is_class(Arguments))
__host__ __device__ int printf(char const* format, Arguments const&... arguments) {
  return cuda::tiles::printf(format, arguments...);
}

} // namespace std
