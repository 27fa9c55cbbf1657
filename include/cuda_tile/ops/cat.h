// [2.3.12] to [2.3.14] Concatenation.
#pragma once

#include "cuda_tile/ops/manipulate.h"

namespace cuda::tiles::inline CUDA_TILE_ABI {
namespace detail {

template <typename T, typename U, size_t D>
struct concatenated_lengths {
  CUDA_TILE_CONSTEXPR static size_t at(size_t d) {
    return length<tile_shape_t<T>>(d) + (d == D ? length<tile_shape_t<U>>(d) : 0);
  }
};
template <typename T, typename U, size_t D>
using concatenated_shape = make_shape<concatenated_lengths<T, U, D>, tile_rank_v<T>>;

template <typename T, typename U, size_t D>
CUDA_TILE_CONSTEXPR bool can_concatenate() {
  if constexpr (tile_rank_v<T> != tile_rank_v<U> || D >= tile_rank_v<T>) {
    return false;
  } else {
    for (size_t d = 0; d != tile_rank_v<T>; ++d)
      if (d != D && length<tile_shape_t<T>>(d) != length<tile_shape_t<U>>(d))
        return false;
    return is_same_v<tile_element_t<T>, tile_element_t<U>> && tile_shape<concatenated_shape<T, U, D>>;
  }
}

/// Element i of the result lies in run i / Run, of x if that is even; its place in x or y is the same.
template <unsigned Run>
struct index_in_half {
  CUDA_TILE_CONSTEXPR static unsigned of(unsigned i) { return i / (2 * Run) * Run + i % Run; }
};

} // namespace detail

/// [2.3.12] Tiles of one element type that differ in the length of dimension D at most, with a sum that a
/// tile can have.
template <typename T, typename U, size_t D>
concept concatenation_compatible = tile_like<T> && tile_like<U> && detail::can_concatenate<T, U, D>();

/// [2.3.13]
template <tile_like T, tile_like U, size_t Dim>
  requires concatenation_compatible<T, U, Dim>
using concatenation_t = tile<tile_element_t<T>, detail::concatenated_shape<T, U, Dim>>;

/// [2.3.14] y behind x along dimension D. Lengths are powers of two, so x and y have the same shape.
template <integral auto D, tile_like T, tile_like U>
  requires(D >= 0) && concatenation_compatible<T, U, static_cast<size_t>(D)>
CUDA_TILE_API concatenation_t<T, U, static_cast<size_t>(D)> cat(T const& x, U const& y,
                                                                integral_constant<D> = {}) noexcept {
  using R = concatenation_t<T, U, static_cast<size_t>(D)>;
  constexpr unsigned run = static_cast<unsigned>(detail::length_product<tile_shape_t<T>>(D, tile_rank_v<T>));
  R result;
  checks::after_cat<run>(result, x, y);
  if constexpr (platform::block_threads == 1) {
    for (unsigned i = 0; i < tile_size_v<T>; i += run)
      for (unsigned j = 0; j < run; ++j) {
        result.slots[2 * i + j] = x.slots[i + j];
        result.slots[2 * i + run + j] = y.slots[i + j];
      }
  } else {
    R from_x, from_y;
    detail::copy_through_scratch<detail::index_in_half<run>>(from_x, x);
    detail::copy_through_scratch<detail::index_in_half<run>>(from_y, y);
    unsigned const t = platform::thread();
    CUDA_TILE_UNROLL
    for (unsigned s = 0; s < R::distribution::slots; ++s)
      result.slots[s] = R::distribution::index(t, s) / run % 2 == 0 ? from_x.slots[s] : from_y.slots[s];
  }
  return result;
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI
