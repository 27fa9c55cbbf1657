// [2.1.1] Thread functions: the position of a block in the grid.
#pragma once

#include "cuda_tile/tile/primitives.h"

namespace cuda::tiles::inline CUDA_TILE_ABI {

/// [2.1.1.1] Index of the tile block.
CUDA_TILE_API uint3 bid() noexcept { return detail::block_index(); }

/// [2.1.1.2] Number of tile blocks.
CUDA_TILE_API dim3 num_blocks() noexcept { return detail::block_count(); }

} // namespace cuda::tiles::inline CUDA_TILE_ABI
