// reshape, permute and cat with several threads a block.
#pragma once

#include "cuda_tile/threads/exchange.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

template <typename R, typename T>
CUDA_TILE_API R reshape(T const& x) {
  return detail::rearrange<tile_shape_t<R>, row_major_steps<tile_shape_t<R>>>(x);
}

#if CUDA_TILE_HAS_FORMS
template <typename Map>
CUDA_TILE_CONSTEXPR bool swaps_last_two() {
  constexpr size_t rank = Map::rank();
  for (size_t d = 0; d + 2 < rank; ++d)
    if (Map::mapping(d) != d)
      return false;
  return Map::mapping(rank - 2) == rank - 1;
}

/// The same slots in the other form.
template <typename R, typename T>
CUDA_TILE_API R transposed_in_place(T const& x) {
  R result;
  auto const& from = detail::settled(x);
  platform::copy<sizeof result.slots>(result.slots, from.slots);
  result.transposed = x.transposed == 0;
  return result;
}
#endif

template <typename R, typename Map, typename T>
CUDA_TILE_API R permute(T const& x) {
#if CUDA_TILE_HAS_FORMS
  if constexpr (may_be_transposed<element_t<T>, tile_shape_t<T>>() && swaps_last_two<Map>())
    return detail::transposed_in_place<R>(x);
  else
#endif
    return detail::rearrange<tile_shape_t<R>, permuted_steps<tile_shape_t<T>, Map>>(x);
}

/// Element i of the result lies in run i / Run, which comes from x if it is even and from y otherwise; `of`
/// gives its index there.
template <unsigned Run>
struct index_in_half {
  CUDA_TILE_CONSTEXPR static unsigned of(unsigned i) { return i / (2 * Run) * Run + i % Run; }
};

template <typename R, size_t D, typename T>
CUDA_TILE_API R cat(T const& x, T const& y) {
  constexpr unsigned run = static_cast<unsigned>(detail::length_product<tile_shape_t<T>>(D, tile_rank_v<T>));
  R result, from_x, from_y;
  detail::copy_through_scratch<index_in_half<run>>(from_x, x);
  detail::copy_through_scratch<index_in_half<run>>(from_y, y);
  unsigned const t = platform::thread();
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < R::distribution::slots; ++s)
    result.slots[s] = R::distribution::index(t, s) / run % 2 == 0 ? from_x.slots[s] : from_y.slots[s];
  return result;
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
