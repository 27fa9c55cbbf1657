// Loads through tiles of pointers with several threads a block: what a thread holds is loaded 16 bytes at a
// time where its pointers are neighbours and the first is a multiple of 16. That is asked when the kernel
// runs; of pointers that are sums with an iota, the compiler knows the first half of the answer.
#pragma once

#include "cuda_tile/ops/memory_access.h"

namespace cuda::tiles::detail {

/// Number of elements of 16 bytes, if a thread holds so many neighbours of the tile; else 1.
template <typename R>
CUDA_TILE_CONSTEXPR unsigned load_vector_length() {
  constexpr unsigned length = static_cast<unsigned>(16 / sizeof(typename R::element_type));
  return R::distribution::vector >= length ? length : 1;
}

/// *ptrs for each element.
template <typename R, typename Ptrs>
CUDA_TILE_API R load_in_vectors(Ptrs const& ptrs) {
  constexpr unsigned vector = load_vector_length<R>();
  R result;
  checks::define(result);
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < R::distribution::slots; s += vector) {
    bool neighbours = reinterpret_cast<size_t>(ptrs.slots[s]) % 16 == 0;
    CUDA_TILE_UNROLL
    for (unsigned j = 1; j < vector; ++j)
      neighbours = neighbours && ptrs.slots[s + j] == ptrs.slots[s] + j;
    if (neighbours) {
      platform::load_aligned<16>(result.slots + s, ptrs.slots[s]);
    } else {
      CUDA_TILE_UNROLL
      for (unsigned j = 0; j < vector; ++j)
        result.slots[s + j] = *ptrs.slots[s + j];
    }
  }
  return result;
}

} // namespace cuda::tiles::detail
