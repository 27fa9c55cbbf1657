// Platform of the `emulated` target: the launcher runs the threads of a block, in code from a host compiler.
#pragma once

#include "cuda_tile/launch/block.h"
#include "cuda_tile/platform/host_arithmetic.h"
#include "cuda_tile/platform/host_atomics.h"
#include "cuda_tile/platform/host_rounding.h"
#include "cuda_tile/platform/math.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::platform {

inline constexpr unsigned block_threads = CUDA_TILE_BLOCK_THREADS;
inline constexpr size_t scratch_bytes = 32 * 1024; // the same as in platform/cuda.h
inline constexpr size_t scratch_limit = 96 * 1024;

/// The thread of a block that this host thread is running.
constinit inline thread_local cuda_tile_block* current_block = nullptr;

inline uint3 block_index() {
  return uint3{current_block->block[0], current_block->block[1], current_block->block[2]};
}
inline dim3 grid_blocks() {
  return dim3{current_block->grid[0], current_block->grid[1], current_block->grid[2]};
}

inline unsigned thread() { return current_block->thread; }
template <size_t Bytes>
inline void* scratch() {
  static_assert(Bytes <= scratch_limit);
#if CUDA_TILE_WARP_GROUPS
  finish_groups();
#endif
  return current_block->scratch;
}

/// Runs the other threads of the block up to their barrier, on this host thread. The launcher recognises the
/// barrier by its place in the source, however the compiler transforms the code.
inline void barrier(char const* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
  cuda_tile_block* self = current_block;
  self->barrier_file = file;
  self->barrier_line = line;
  self->barrier(self);
  current_block = self;
}

/// Where threads of a block leave values for each other: they are fibers of one host thread and share it.
constinit inline thread_local unsigned long long left_words[block_threads][8] = {};

/// The value that another thread of the warp holds: the one whose number differs in the bits of `mask`. All
/// threads take part.
template <typename E>
inline E shuffle_xor(E value, unsigned mask) {
  static_assert(sizeof(E) <= sizeof left_words[0]);
  barrier();
  __builtin_memcpy(left_words[thread()], &value, sizeof(E));
  barrier();
  __builtin_memcpy(&value, left_words[thread() ^ mask], sizeof(E));
  return value;
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform
