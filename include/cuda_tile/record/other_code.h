// What code of threads has and tile code has not, with the reason; and how constructs that tile code must not
// have are marked (pycuda_tile/frontend/refused.py).
#pragma once

#include "cuda_tile/platform/record_calls.h"
#include "cuda_tile/predefined.h"

namespace cuda_tile::record {

template <int Reason>
struct refused;

/// Stays in the LLVM IR of what reaches it, and is nothing in constant expressions.
template <int Reason>
constexpr void refuse() {
  if (!__builtin_is_constant_evaluated())
    record::effect<refused<Reason>, void>();
}

} // namespace cuda_tile::record

#define CUDA_TILE_NO_THREADS                                                                                 \
  __attribute__((unavailable("tile code has no threads: a block is one, ct::bid() is its index and "         \
                             "ct::num_blocks() their number")))
#define CUDA_TILE_NOT_SHARED                                                                                 \
  __attribute__((unavailable("tile code has no __shared__ variables: a tile belongs to the block")))

extern uint3 const threadIdx CUDA_TILE_NO_THREADS, blockIdx CUDA_TILE_NO_THREADS;
extern dim3 const blockDim CUDA_TILE_NO_THREADS, gridDim CUDA_TILE_NO_THREADS;
extern int const warpSize CUDA_TILE_NO_THREADS;
template <typename... T>
void __syncwarp(T...) CUDA_TILE_NO_THREADS;
template <typename... T>
int __shfl_sync(T...) CUDA_TILE_NO_THREADS;
template <typename... T>
int __shfl_up_sync(T...) CUDA_TILE_NO_THREADS;
template <typename... T>
int __shfl_down_sync(T...) CUDA_TILE_NO_THREADS;
template <typename... T>
int __shfl_xor_sync(T...) CUDA_TILE_NO_THREADS;
template <typename... T>
unsigned __ballot_sync(T...) CUDA_TILE_NO_THREADS;
template <typename... T>
int __any_sync(T...) CUDA_TILE_NO_THREADS;
template <typename... T>
int __all_sync(T...) CUDA_TILE_NO_THREADS;

#undef __shared__
#define __shared__ CUDA_TILE_NOT_SHARED

inline void* operator new(decltype(sizeof 0), void* place) noexcept { return place; }
inline void* operator new[](decltype(sizeof 0), void* place) noexcept { return place; }
