// The back end of blocks of one thread: a tile is an array, and an operation is a loop that compilers
// vectorise. Here are the primitives (tile/primitives.h) that need no file of their own.
#pragma once

#include "cuda_tile/one_thread/map.h"
#include "cuda_tile/one_thread/mma/multiply.h"
#include "cuda_tile/one_thread/pointers.h"
#include "cuda_tile/one_thread/reduce.h"
#include "cuda_tile/one_thread/scan.h"
#include "cuda_tile/one_thread/shapes.h"
#include "cuda_tile/one_thread/views.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

template <typename T>
CUDA_TILE_API decltype(auto) computed(T const& x) {
  return (x);
}

template <typename R>
CUDA_TILE_API R filled(typename R::element_type x) {
  R result;
  checks::define(result);
  for (auto& slot : result.slots)
    slot = x;
  return result;
}

template <typename R>
CUDA_TILE_API R numbered() {
  R result;
  checks::define(result);
  for (unsigned s = 0; s < R::distribution::slots; ++s)
    result.slots[s] = static_cast<typename R::element_type>(s);
  return result;
}

template <auto Divisor, typename T>
CUDA_TILE_API T assume_divisible(T const& x) {
  return x;
}
template <auto Least, auto Greatest, typename T>
CUDA_TILE_API T assume_bounded(T const& x) {
  return x;
}
template <typename Blocks, typename T>
CUDA_TILE_API T assume_blocked(T const& x) {
  return x;
}
template <auto Alignment, typename T>
CUDA_TILE_API T assume_aligned(T const& x) {
  if constexpr (scalar<T> && !is_volatile_v<remove_pointer_t<T>>)
    return static_cast<T>(
        __builtin_assume_aligned(const_cast<remove_cv_t<remove_pointer_t<T>>*>(x), Alignment));
  else
    return x;
}
template <auto Divisor, auto Stride, auto D, typename T>
CUDA_TILE_API T assume_runs(T const& x) {
  return x;
}

CUDA_TILE_API uint3 block_index() { return platform::block_index(); }
CUDA_TILE_API dim3 block_count() { return platform::grid_blocks(); }

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
