// Which kernels have blocks that never wait for each other.
#pragma once

#include "cuda_tile/config.h"

namespace cuda_tile::inline CUDA_TILE_ABI {

/// Whether the blocks of a kernel never wait for each other. Generated code says so of its kernels.
template <auto Kernel>
constexpr bool are_independent = false;

} // namespace cuda_tile::inline CUDA_TILE_ABI
