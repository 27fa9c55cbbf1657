// Loads through tiles of pointers with one thread a block: runs of neighbours are copied at once, and what
// lies elsewhere is fetched ahead.
#pragma once

#include "cuda_tile/ops/memory_access.h"

namespace cuda::tiles::detail {

/// How many elements are looked at together: at most a cache line, and no more than a row of the tile.
template <typename E, typename S>
CUDA_TILE_CONSTEXPR unsigned load_run() {
  constexpr size_t rank = S::rank();
  if constexpr (rank == 0)
    return 1;
  else
    return static_cast<unsigned>(length<S>(rank - 1) * sizeof(E) > 64 ? 64 / sizeof(E) : length<S>(rank - 1));
}

/// *ptrs for each element.
template <typename R, typename Ptrs>
CUDA_TILE_API R load_by_runs(Ptrs const& ptrs) {
  using E = typename R::element_type;
  constexpr unsigned run = load_run<E, typename R::shape_type>(), size = R::distribution::size;
  constexpr unsigned ahead = 16 * run;
  R result;
  checks::define(result);
  for (unsigned i = 0; i < size && i < ahead; i += run)
    __builtin_prefetch(ptrs.slots[i]);
  for (unsigned i = 0; i < size; i += run) {
    if (i + ahead < size)
      __builtin_prefetch(ptrs.slots[i + ahead]);
    bool neighbours = true;
    for (unsigned j = 0; j < run; ++j)
      neighbours &= ptrs.slots[i + j] == ptrs.slots[i] + j;
    if (neighbours)
      __builtin_memcpy(result.slots + i, ptrs.slots[i], run * sizeof(E));
    else
      for (unsigned j = 0; j < run; ++j)
        result.slots[i + j] = *ptrs.slots[i + j];
  }
  return result;
}

} // namespace cuda::tiles::detail
