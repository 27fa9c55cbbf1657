// Platform of the `cpu` target: one thread a block, on a host compiler.
#pragma once

#include "cuda_tile/launch/block.h"
#include "cuda_tile/platform/host_arithmetic.h"
#include "cuda_tile/platform/host_atomics.h"
#include "cuda_tile/platform/host_rounding.h"
#include "cuda_tile/platform/math.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::platform {

inline constexpr unsigned block_threads = 1;
inline constexpr size_t scratch_bytes = 0, scratch_limit = 0;

/// The block that this host thread runs; the kernel's entry sets it.
constinit inline thread_local cuda_tile_block* current_block = nullptr;

inline uint3 block_index() {
  return uint3{current_block->block[0], current_block->block[1], current_block->block[2]};
}
inline dim3 grid_blocks() {
  return dim3{current_block->grid[0], current_block->grid[1], current_block->grid[2]};
}

constexpr unsigned thread() { return 0; }
constexpr void barrier() {}
template <size_t>
constexpr void* scratch() {
  return nullptr;
}
template <typename E>
constexpr E shuffle_xor(E value, unsigned) {
  return value;
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform
