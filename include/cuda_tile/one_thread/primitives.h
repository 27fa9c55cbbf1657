// The back end of blocks of one thread: a tile is an array, and an operation is a loop that compilers
// vectorise. Here are the primitives (tile/primitives.h) that need no file of their own; those of all back
// ends that run kernels are in tile/shared_primitives.h.
#pragma once

#include "cuda_tile/one_thread/map.h"
#include "cuda_tile/one_thread/mma/choose.h"
#include "cuda_tile/one_thread/pointers.h"
#include "cuda_tile/one_thread/reduce.h"
#include "cuda_tile/one_thread/scan.h"
#include "cuda_tile/one_thread/shapes.h"
#include "cuda_tile/one_thread/views.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

template <typename T>
CUDA_TILE_API decltype(auto) computed(T const& x) {
  return (x);
}

/// A tile of a few vectors: g++ would fill it by instructions for long strings.
template <typename R>
concept few_vectors =
    (sizeof(typename R::element_type) <= 8 && sizeof(R::slots) % platform::vector_bytes == 0 &&
     sizeof(R::slots) <= 4 * platform::vector_bytes);

template <typename R>
CUDA_TILE_API R filled(typename R::element_type x) {
  R result;
  checks::define(result);
  if constexpr (few_vectors<R>) {
    using bits = typename unsigned_of_size<sizeof x>::type;
    auto const all = platform::bit_cast<bits>(x) + platform::vector<bits>{};
    constexpr unsigned at_once = platform::vector_bytes / sizeof x;
    for (unsigned i = 0; i < R::distribution::slots; i += at_once)
      platform::store_vector(result.slots + i, all);
    return result;
  }
  for (auto& slot : result.slots)
    slot = x;
  return result;
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail

#include "cuda_tile/tile/shared_primitives.h"
