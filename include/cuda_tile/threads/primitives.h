// The back end of blocks whose threads share a tile: the threads of a GPU, or emulated ones.
// threads/distribution.h says which elements a thread holds. Here are the primitives (tile/primitives.h) that
// need no file of their own; those of all back ends that run kernels are in tile/shared_primitives.h.
#pragma once

#include "cuda_tile/threads/map.h"
#include "cuda_tile/threads/mma/choose.h"
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

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail

#include "cuda_tile/tile/shared_primitives.h"
