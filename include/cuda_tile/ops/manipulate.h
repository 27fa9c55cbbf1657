// [2.3.7] to [2.3.18] Operations on shapes: reshape, permute, transpose, cat, select, extract, broadcast.
#pragma once

#include "cuda_tile/checked/access.h"
#include "cuda_tile/tile/map.h"

namespace cuda::tiles::inline CUDA_TILE_ABI {
namespace detail {

/// Steps of a shape's own row-major order.
template <typename S>
struct row_major_steps {
  CUDA_TILE_CONSTEXPR static size_t at(size_t d) { return length_product<S>(d + 1, S::rank()); }
};

/// `x` as a tile, also where it is a scalar.
template <typename T>
CUDA_TILE_API tile<tile_element_t<T>, tile_shape_t<T>> as_tile(T const& x) {
  return x;
}

/// With one thread, which has all elements in row-major order.
template <typename Shape, typename Tile>
CUDA_TILE_API tile<tile_element_t<Tile>, Shape> reshaped(Tile const& x) {
  tile<tile_element_t<Tile>, Shape> result;
  checks::after_rearrange(result, x, [](unsigned i) { return i; });
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < Tile::distribution::slots; ++s)
    result.slots[s] = x.slots[s];
  return result;
}

} // namespace detail

/// [2.3.7] The same elements in row-major order in another shape.
template <tile_shape Shape, tile_like Tile>
  requires(tile_size_v<Tile> == shape_size_v<Shape>)
CUDA_TILE_API tile<tile_element_t<Tile>, detail::remove_cv_t<Shape>> reshape(Tile const& x,
                                                                             Shape = {}) noexcept {
  if constexpr (scalar<Tile>) {
    return reshape<Shape>(detail::as_tile(x));
  } else if constexpr (platform::block_threads > 1) {
    using S = detail::remove_cv_t<Shape>;
    return detail::rearrange<S, detail::row_major_steps<S>>(x);
  } else {
    return detail::reshaped<detail::remove_cv_t<Shape>>(x);
  }
}

namespace detail {

template <typename T, typename Map>
struct permuted_lengths {
  CUDA_TILE_CONSTEXPR static size_t at(size_t d) { return length<tile_shape_t<T>>(Map::mapping(d)); }
};
template <typename T, typename Map>
struct permuted_steps {
  CUDA_TILE_CONSTEXPR static size_t at(size_t d) {
    return row_major_steps<tile_shape_t<T>>::at(Map::mapping(d));
  }
};

template <typename T, typename Map>
concept permutable = tile_like<T> && is_dimension_map_v<remove_cv_t<Map>> && Map::rank() == tile_rank_v<T>;

template <typename T, typename Map>
struct permutation {
  using type = tile<tile_element_t<T>, make_shape<permuted_lengths<T, Map>, tile_rank_v<T>>>;
};
template <typename T, typename Map>
  requires(tile_rank_v<T> < 2)
struct permutation<T, Map> {
  using type = remove_cv_t<T>;
};

/// dimension_map<1, 0, 2, 3, …> of rank N, the identity below rank 2.
template <typename Indices>
struct transposition;
template <size_t... I>
struct transposition<indices<I...>> {
  using type = dimension_map<(sizeof...(I) >= 2 && I < 2 ? 1 - I : I)...>;
};
template <typename T>
using transposition_t = typename transposition<make_indices<tile_rank_v<T>>>::type;

#if CUDA_TILE_HAS_FORMS
template <typename Map>
CUDA_TILE_CONSTEXPR bool swaps_last_two() {
  constexpr size_t rank = Map::rank();
  for (size_t d = 0; d + 2 < rank; ++d)
    if (Map::mapping(d) != d)
      return false;
  return Map::mapping(rank - 2) == rank - 1;
}

/// The same slots with the other form.
template <typename R, typename T>
CUDA_TILE_API R transposed_in_place(T const& x) {
  R result;
  auto const& from = detail::settled(x);
  platform::copy<sizeof result.slots>(result.slots, from.slots);
  result.transposed = x.transposed == 0;
  return result;
}
#endif

} // namespace detail

/// [2.3.8] T with its dimensions permuted by Map.
template <tile_like T, typename Map>
  requires detail::permutable<T, Map>
using tile_permutation_t = typename detail::permutation<T, Map>::type;

/// [2.3.9] Dimension k of the result is dimension Map::mapping(k) of `in`.
template <typename Map, tile_like Tile>
  requires detail::permutable<Tile, Map>
CUDA_TILE_API tile_permutation_t<Tile, Map> permute(Tile const& in, Map = {}) noexcept {
  if constexpr (tile_rank_v<Tile> < 2)
    return in;
#if CUDA_TILE_HAS_FORMS
  else if constexpr (detail::may_be_transposed<tile_element_t<Tile>, tile_shape_t<Tile>>() &&
                     detail::swaps_last_two<Map>())
    return detail::transposed_in_place<tile_permutation_t<Tile, Map>>(in);
#endif
  else
    return detail::rearrange<tile_shape_t<tile_permutation_t<Tile, Map>>, detail::permuted_steps<Tile, Map>>(
        in);
}

/// [2.3.10] T with its first two dimensions interchanged.
template <tile_like T>
using tile_transpose_t = tile_permutation_t<T, detail::transposition_t<T>>;

/// [2.3.11] Interchanges the first two dimensions.
template <tile_like Tile>
CUDA_TILE_API tile_transpose_t<Tile> transpose(Tile const& in) noexcept {
  return tiles::permute<detail::transposition_t<Tile>>(in);
}

/// [2.3.15] lhs where the condition is true, else rhs.
template <tile_like T, bool_tile_convertible C>
  requires broadcastable_to<C, tile_shape_t<T>>
CUDA_TILE_API T select(C const& condition, T const& lhs, T const& rhs) noexcept {
  using E = tile_element_t<T>;
  T result =
      detail::map<T>([](auto c, E a, E b) { return detail::convert<bool>(c) ? a : b; }, condition, lhs, rhs);
  checks::after_choice(result, condition, lhs, rhs);
  return result;
}

namespace detail {

template <typename S, typename T>
CUDA_TILE_CONSTEXPR bool divides_shape() {
  if constexpr (S::rank() != tile_rank_v<T>) {
    return false;
  } else {
    for (size_t d = 0; d != S::rank(); ++d)
      if (length<tile_shape_t<T>>(d) % length<S>(d) != 0)
        return false;
    return true;
  }
}

} // namespace detail

/// [2.3.16] Whether tiles of shape S partition T.
template <typename S, typename T>
concept extractable_from = tile_shape<S> && tile_like<T> && detail::divides_shape<S, T>();

/// [2.3.17] The partition of shape S with the given index; one out of bounds is undefined.
template <tile_shape S, tile_like T, typename... Indices>
  requires extractable_from<S, T> && (sizeof...(Indices) == tile_rank_v<T>) &&
           (detail::convertible_to<Indices, size_t> && ...)
CUDA_TILE_API tile<tile_element_t<T>, S> extract(T const& x, S, Indices... idx) noexcept {
  if constexpr (scalar<T>) {
    return detail::as_tile(x);
  } else {
    using steps = detail::row_major_steps<tile_shape_t<T>>;
    size_t offset = 0, d = 0;
    ((checks::before_extract<T>(static_cast<size_t>(idx), d, detail::length<S>(d)),
      offset += static_cast<size_t>(idx) * detail::length<S>(d) * steps::at(d), ++d),
     ...);
    // Out of bounds is undefined; stay within the tile all the same.
    return detail::rearrange<S, steps>(x, static_cast<unsigned>(offset % tile_size_v<T>));
  }
}

/// [2.3.18] x replicated along its dimensions of length 1.
template <tile_shape S, tile_like T>
  requires broadcastable_to<T, S>
CUDA_TILE_API tile<tile_element_t<T>, S> broadcast(T const& x, S = {}) noexcept {
  return detail::map<tile<tile_element_t<T>, S>>([](auto a) { return a; }, x);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI
