// Loads through tiles of pointers with one thread a block: runs of neighbours are copied at once, and
// scattered elements are prefetched.
#pragma once

#include "cuda_tile/platform/host_vectors.h"
#include "cuda_tile/tile/tile.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// How many elements are examined together: at most a cache line, and at most a row of the tile.
template <typename E, typename S>
CUDA_TILE_CONSTEXPR unsigned load_run() {
  constexpr size_t rank = S::rank();
  if constexpr (rank == 0)
    return 1;
  else
    return static_cast<unsigned>(length<S>(rank - 1) * sizeof(E) > 64 ? 64 / sizeof(E) : length<S>(rank - 1));
}

/// Whether N pointers are consecutive. Written with vectors, since g++ does not vectorise the conditions.
template <unsigned N, typename P>
CUDA_TILE_API bool are_neighbours(P* const* ptrs) {
  using V = platform::vector<unsigned long long>;
  constexpr unsigned lanes = sizeof(V) / sizeof(P*);
  unsigned long long differing = 0, first = platform::bit_cast<unsigned long long>(ptrs[0]);
  if constexpr (N % lanes == 0) {
    V expected, all{};
    for (unsigned l = 0; l < lanes; ++l)
      expected[l] = first + l * sizeof(P);
    for (unsigned i = 0; i < N; i += lanes)
      all |= platform::load_vector<V>(ptrs + i) ^ (expected + i * sizeof(P));
    for (unsigned l = 0; l < lanes; ++l)
      differing |= all[l];
  } else {
    for (unsigned i = 0; i < N; ++i)
      differing |= platform::bit_cast<unsigned long long>(ptrs[i]) ^ (first + i * sizeof(P));
  }
  return differing == 0;
}

/// *ptrs for each element.
template <typename R, typename Ptrs>
CUDA_TILE_API R load_by_runs(Ptrs const& ptrs) {
  using E = typename R::element_type;
  constexpr unsigned run = load_run<E, typename R::shape_type>(), size = R::distribution::size;
  constexpr unsigned ahead = 32 * run;
  R result;
  checks::define(result);
  for (unsigned i = 0; i < size && i < ahead; i += run)
    __builtin_prefetch(ptrs.slots[i]);
  for (unsigned i = 0; i < size; i += run) {
    if (i + ahead < size)
      __builtin_prefetch(ptrs.slots[i + ahead]);
    if (detail::are_neighbours<run>(ptrs.slots + i))
      __builtin_memcpy(result.slots + i, ptrs.slots[i], run * sizeof(E));
    else
      for (unsigned j = 0; j < run; ++j)
        result.slots[i + j] = *ptrs.slots[i + j];
  }
  return result;
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
