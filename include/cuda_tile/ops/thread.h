// [2.1.1] Thread functions: where in the grid a block is.
#pragma once

#include "cuda_tile/platform/platform.h"

namespace cuda::tiles::inline CUDA_TILE_ABI {

/// [2.1.1.1] Index of the tile block.
CUDA_TILE_API uint3 bid() noexcept { return platform::block_index(); }

/// [2.1.1.2] Number of tile blocks.
CUDA_TILE_API dim3 num_blocks() noexcept { return platform::grid_blocks(); }

} // namespace cuda::tiles::inline CUDA_TILE_ABI
