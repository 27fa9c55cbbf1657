// The thread of a kernel that is running: its index, and how it waits for others. Defined by the run time
// (lib/runtime/thread_runner.cpp).
#pragma once

#include "cuda_tile/vector_types.h"

extern __thread uint3 threadIdx, blockIdx;
extern __thread dim3 blockDim, gridDim;
constexpr int warpSize = 32;

extern "C" {

/// What the lanes of a warp that met have given each other.
struct cuda_tile_warp_values {
  unsigned lanes; // those that met: the others' values are not set
  unsigned long long of[32];
};

/// Waits for all threads of the block. Returns for how many of them `predicate` is not 0.
unsigned cuda_tile_block_barrier(int predicate);
/// Waits for the lanes of `mask`, which all have to pass the same one.
const struct cuda_tile_warp_values* cuda_tile_warp_barrier(unsigned mask, unsigned long long value);
/// The lanes of the warp that wait at `site`, and all others wait elsewhere.
unsigned cuda_tile_active_mask(const void* site);
/// Waits for all blocks of a cooperative launch; returns 0 if the launch is none.
int cuda_tile_grid_barrier(void);
int cuda_tile_is_cooperative(void);
/// Lets other threads of the block run.
void cuda_tile_yield(void);
/// Ends the launch with an error.
[[noreturn]] void cuda_tile_trap(void);
/// The dynamic shared memory of the block, and its size.
void* cuda_tile_dynamic_shared(void);
unsigned cuda_tile_dynamic_shared_bytes(void);
/// Whether an address is of the block's shared memory, or of the thread's own.
int cuda_tile_is_shared(const void* place);
int cuda_tile_is_local(const void* place);
}

namespace cuda_tile::runtime {

inline unsigned thread_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
inline unsigned lane() { return thread_rank() % warpSize; }

} // namespace cuda_tile::runtime
