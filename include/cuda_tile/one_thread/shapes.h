// reshape, permute and cat with one thread a block.
#pragma once

#include "cuda_tile/one_thread/rearrange.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

template <typename R, typename T>
CUDA_TILE_API R reshape(T const& x) {
  R result;
  checks::after_rearrange(result, x, [](unsigned i) { return i; });
  for (unsigned s = 0; s < T::distribution::slots; ++s)
    result.slots[s] = x.slots[s];
  return result;
}

template <typename R, typename Map, typename T>
CUDA_TILE_API R permute(T const& x) {
  return detail::rearrange<tile_shape_t<R>, permuted_steps<tile_shape_t<T>, Map>>(x);
}

template <typename R, size_t D, typename T>
CUDA_TILE_API R cat(T const& x, T const& y) {
  constexpr unsigned run = static_cast<unsigned>(detail::length_product<tile_shape_t<T>>(D, tile_rank_v<T>));
  R result;
  checks::after_cat<run>(result, x, y);
  for (unsigned i = 0; i < tile_size_v<T>; i += run)
    for (unsigned j = 0; j < run; ++j) {
      result.slots[2 * i + j] = x.slots[i + j];
      result.slots[2 * i + run + j] = y.slots[i + j];
    }
  return result;
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
