// Compatibility: names that are not in the manual, but are in NVIDIA's header and used by public code.
#pragma once

#include "cuda_tile/core/extents.h"
#include "cuda_tile/ops/thread.h"

namespace cuda::tiles::inline CUDA_TILE_ABI {

template <typename T, typename U>
concept same_as = detail::same_as<T, U>;

namespace detail {

/// The index of the block along x, y or z.
template <int Dimension>
CUDA_TILE_API unsigned bid() noexcept {
  static_assert(Dimension >= 0 && Dimension < 3, "a grid has the dimensions 0, 1 and 2");
  uint3 const index = cuda::tiles::bid();
  return Dimension == 0 ? index.x : Dimension == 1 ? index.y : index.z;
}

/// The number of blocks along x, y or z.
template <int Dimension>
CUDA_TILE_API unsigned num_blocks() noexcept {
  static_assert(Dimension >= 0 && Dimension < 3, "a grid has the dimensions 0, 1 and 2");
  dim3 const count = cuda::tiles::num_blocks();
  return Dimension == 0 ? count.x : Dimension == 1 ? count.y : count.z;
}

} // namespace detail

} // namespace cuda::tiles::inline CUDA_TILE_ABI
