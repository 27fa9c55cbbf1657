// Loads and stores that name a cache, vectors of two halves apart: plain ones here.
#pragma once

#include "cuda_tile/runtime/device/atomics.h"
#include "cuda_tile/runtime/device/thread.h"

#include <stddef.h>

#define CUDA_TILE_LOAD(name)                                                                                 \
  template <typename T>                                                                                      \
  T name(const T* place) {                                                                                   \
    return *place;                                                                                           \
  }
CUDA_TILE_LOAD(__ldca)
CUDA_TILE_LOAD(__ldcg)
CUDA_TILE_LOAD(__ldcs)
CUDA_TILE_LOAD(__ldlu)
#undef CUDA_TILE_LOAD
/// Reads again what another thread may have written, which loops wait for.
template <typename T>
T __ldcv(const T* place) {
  cuda_tile::runtime::count_atomic();
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  return *place;
}
#define CUDA_TILE_STORE(name)                                                                                \
  template <typename T>                                                                                      \
  void name(T* place, T value) {                                                                             \
    *place = value;                                                                                          \
  }
CUDA_TILE_STORE(__stwb)
CUDA_TILE_STORE(__stcg)
CUDA_TILE_STORE(__stcs)
CUDA_TILE_STORE(__stwt)
#undef CUDA_TILE_STORE

/// All memory is one: an address is the same in each space.
#define CUDA_TILE_ADDRESS(space)                                                                             \
  inline size_t __cvta_generic_to_##space(const void* place) { return reinterpret_cast<size_t>(place); }     \
  inline void* __cvta_##space##_to_generic(size_t place) { return reinterpret_cast<void*>(place); }
CUDA_TILE_ADDRESS(global)
CUDA_TILE_ADDRESS(shared)
CUDA_TILE_ADDRESS(constant)
CUDA_TILE_ADDRESS(local)
#undef CUDA_TILE_ADDRESS
inline unsigned __isShared(const void* place) { return cuda_tile_is_shared(place) != 0; }
inline unsigned __isLocal(const void* place) { return cuda_tile_is_local(place) != 0; }
inline unsigned __isGlobal(const void* place) { return !__isShared(place) && !__isLocal(place); }
