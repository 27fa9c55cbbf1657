// How the threads of a block and the lanes of a warp wait for each other, and fences.
#pragma once

#include "cuda_tile/runtime/device/atomics.h"
#include "cuda_tile/runtime/device/thread.h"

#include <time.h>

inline void __syncthreads() { cuda_tile_block_barrier(0); }
inline int __syncthreads_count(int predicate) { return static_cast<int>(cuda_tile_block_barrier(predicate)); }
inline int __syncthreads_or(int predicate) { return cuda_tile_block_barrier(predicate) != 0; }
inline int __syncthreads_and(int predicate) { return cuda_tile_block_barrier(!predicate) == 0; }
inline void __syncwarp(unsigned mask = 0xffffffff) { cuda_tile_warp_barrier(mask, 0); }

/// In a loop of fences, too, a thread may wait for another one of its block.
inline void __threadfence() {
  cuda_tile::runtime::count_atomic();
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
inline void __threadfence_block() { __threadfence(); }
inline void __threadfence_system() { __threadfence(); }

inline void __nanosleep(unsigned) { cuda_tile_yield(); }
[[noreturn]] inline void __trap() { cuda_tile_trap(); }
inline void __brkpt() { __builtin_trap(); }
inline void __prof_trigger(int) {} // nobody counts

extern "C" unsigned long long cuda_tile_nanoseconds(void); // of a clock that never goes back
inline unsigned long long __globaltimer() { return cuda_tile_nanoseconds(); }
/// In nanoseconds, as cudaDeviceProp::clockRate says.
inline long long clock64() { return static_cast<long long>(cuda_tile_nanoseconds()); }
// clock() in the device half of a program becomes cuda_tile_clock() when its halves are joined.
