// The back end of blocks whose threads share a tile: the threads of a GPU, or emulated ones.
// threads/distribution.h says which elements a thread holds. Here are the primitives (tile/primitives.h) that
// need no file of their own.
#pragma once

#include "cuda_tile/threads/map.h"
#include "cuda_tile/threads/mma/multiply.h"
#include "cuda_tile/threads/pointers.h"
#include "cuda_tile/threads/reduce.h"
#include "cuda_tile/threads/scan.h"
#include "cuda_tile/threads/shapes.h"
#include "cuda_tile/threads/views.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

template <typename T>
CUDA_TILE_API decltype(auto) computed(T const& x) {
  return detail::settled(x);
}

template <typename R>
CUDA_TILE_API R filled(typename R::element_type x) {
  R result;
  CUDA_TILE_UNROLL
  for (auto& slot : result.slots)
    slot = x;
#if CUDA_TILE_WARP_GROUPS
  // If the compiler knew these values, it would move them to the registers of open sums at the end of a loop.
  return detail::settled(result);
#else
  return result;
#endif
}

template <typename R>
CUDA_TILE_API R numbered() {
  R result;
  unsigned const t = platform::thread();
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < R::distribution::slots; ++s)
    result.slots[s] = static_cast<typename R::element_type>(R::distribution::index(t, s));
  return result;
}

template <auto Divisor, typename T>
CUDA_TILE_API T assume_divisible(T const& x) {
  if constexpr (scalar<T> && !checks::enabled)
    platform::assume((x & static_cast<T>(Divisor - 1)) == 0);
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
