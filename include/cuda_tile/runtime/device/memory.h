// Loads and stores that name a cache, vectors of two halves apart: plain ones here.
#pragma once

#define CUDA_TILE_LOAD(name)                                                                                 \
  template <typename T>                                                                                      \
  T name(const T* place) {                                                                                   \
    return *place;                                                                                           \
  }
CUDA_TILE_LOAD(__ldca)
CUDA_TILE_LOAD(__ldcg)
CUDA_TILE_LOAD(__ldcs)
CUDA_TILE_LOAD(__ldcv)
CUDA_TILE_LOAD(__ldlu)
#undef CUDA_TILE_LOAD
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

/// All memory is one: every address is a global one, and those of shared memory are none else.
inline size_t __cvta_generic_to_shared(const void* place) { return reinterpret_cast<size_t>(place); }
inline size_t __cvta_generic_to_global(const void* place) { return reinterpret_cast<size_t>(place); }
inline unsigned __isGlobal(const void*) { return 1; }
