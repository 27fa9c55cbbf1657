// [2.3.7] to [2.3.18] Operations on shapes: reshape, permute, transpose, cat, select, extract, broadcast.
#pragma once

#include "cuda_tile/checked/access.h"
#include "cuda_tile/core/integral_constant.h"
#include "cuda_tile/tile/primitives.h"

namespace cuda::tiles::inline CUDA_TILE_ABI {
namespace detail {

/// x, or the tile of rank 0 that holds a scalar.
template <typename T>
CUDA_TILE_API decltype(auto) as_tile(T const& x) {
  if constexpr (scalar<T>)
    return tile<remove_cv_t<T>, shape<>>(x);
  else
    return (x);
}

} // namespace detail

/// [2.3.7] The same elements in row-major order in another shape.
template <tile_shape Shape, tile_like Tile>
  requires(tile_size_v<Tile> == shape_size_v<Shape>)
CUDA_TILE_API tile<tile_element_t<Tile>, detail::remove_cv_t<Shape>> reshape(Tile const& x,
                                                                             Shape = {}) noexcept {
  return detail::reshape<tile<tile_element_t<Tile>, detail::remove_cv_t<Shape>>>(detail::as_tile(x));
}

namespace detail {

template <typename T, typename Map>
struct permuted_lengths {
  CUDA_TILE_CONSTEXPR static size_t at(size_t d) { return detail::length<tile_shape_t<T>>(Map::mapping(d)); }
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
  else
    return detail::permute<tile_permutation_t<Tile, Map>, Map>(in);
}

/// [2.3.10] T with its first two dimensions interchanged.
template <tile_like T>
using tile_transpose_t = tile_permutation_t<T, detail::transposition_t<T>>;

/// [2.3.11] Interchanges the first two dimensions.
template <tile_like Tile>
CUDA_TILE_API tile_transpose_t<Tile> transpose(Tile const& in) noexcept {
  return tiles::permute<detail::transposition_t<Tile>>(in);
}

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

} // namespace detail

/// [2.3.12] Tiles of one element type that differ at most in the length of dimension D, if a tile can have
/// the sum of those lengths.
template <typename T, typename U, size_t D>
concept concatenation_compatible = tile_like<T> && tile_like<U> && detail::can_concatenate<T, U, D>();

/// [2.3.13]
template <tile_like T, tile_like U, size_t Dim>
  requires concatenation_compatible<T, U, Dim>
using concatenation_t = tile<tile_element_t<T>, detail::concatenated_shape<T, U, Dim>>;

/// [2.3.14] y after x along dimension D. Lengths are powers of two, so x and y have the same shape.
template <integral auto D, tile_like T, tile_like U>
  requires(D >= 0) && concatenation_compatible<T, U, static_cast<size_t>(D)>
CUDA_TILE_API concatenation_t<T, U, static_cast<size_t>(D)> cat(T const& x, U const& y,
                                                                integral_constant<D> = {}) noexcept {
  using R = concatenation_t<T, U, static_cast<size_t>(D)>;
  return detail::cat<R, static_cast<size_t>(D)>(x, y);
}

/// [2.3.15] lhs where the condition is true, otherwise rhs.
template <tile_like T, bool_tile_convertible C>
  requires broadcastable_to<C, tile_shape_t<T>>
CUDA_TILE_API T select(C const& condition, T const& lhs, T const& rhs) noexcept {
  using E = tile_element_t<T>;
  T result = detail::map<T>(elements::choose<E>{}, condition, lhs, rhs);
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

/// [2.3.17] The partition of shape S with the given index; an index out of bounds is undefined.
template <tile_shape S, tile_like T, typename... Indices>
  requires extractable_from<S, T> && (sizeof...(Indices) == tile_rank_v<T>) &&
           (detail::convertible_to<Indices, size_t> && ...)
CUDA_TILE_API tile<tile_element_t<T>, S> extract(T const& x, S, Indices... idx) noexcept {
  if constexpr (scalar<T>) {
    return detail::as_tile(x);
  } else {
    size_t d = 0;
    ((checks::before_extract<T>(static_cast<size_t>(idx), d, detail::length<S>(d)), ++d), ...);
    return detail::extract<tile<tile_element_t<T>, S>>(x, static_cast<size_t>(idx)...);
  }
}

/// [2.3.18] x replicated along its dimensions of length 1.
template <tile_shape S, tile_like T>
  requires broadcastable_to<T, S>
CUDA_TILE_API tile<tile_element_t<T>, S> broadcast(T const& x, S = {}) noexcept {
  return detail::map<tile<tile_element_t<T>, S>>(elements::identity{}, x);
}

#if CUDA_TILE_API_VERSION >= 1305

namespace detail {

/// The lengths of T divided by those of Sub: 2 d the number of parts of dimension d, 2 d + 1 the length of
/// one; with Counts false all those numbers are 1.
template <typename T, typename Sub, bool Counts>
struct divided_lengths {
  CUDA_TILE_CONSTEXPR static size_t at(size_t d) {
    size_t const part = length<tile_shape_t<Sub>>(d / 2);
    return d % 2 != 0 ? part : Counts ? length<tile_shape_t<T>>(d / 2) / part : 1;
  }
};
template <typename T, typename Sub, bool Counts>
using divided_shape = make_shape<divided_lengths<T, Sub, Counts>, 2 * tile_rank_v<T>>;

#if !CUDA_TILE_RECORD
/// Whether element i of T lies in the part of shape Sub with this index.
template <typename T, typename Sub, size_t... D, typename... Idx>
CUDA_TILE_API bool is_in_part(indices<D...>, unsigned i, Idx... index) {
  return (true & ... &
          (i / static_cast<unsigned>(detail::length_product<tile_shape_t<T>>(D + 1, tile_rank_v<T>)) %
               static_cast<unsigned>(length<tile_shape_t<T>>(D)) /
               static_cast<unsigned>(length<tile_shape_t<Sub>>(D)) ==
           index));
}

/// x with one of its partitions replaced by part, which has the same element type.
template <typename T, typename Part, typename... Indices>
CUDA_TILE_API T insert_part(T const& x, Part const& part, Indices... index) {
  using E = tile_element_t<T>;
  auto const apart = detail::reshape<tile<E, divided_shape<T, Part, false>>>(part);
  auto const repeated = detail::reshape<T>(tiles::broadcast<divided_shape<T, Part, true>>(apart));
  auto const inside = detail::map<tile<bool, tile_shape_t<T>>>(
      [=](unsigned i) {
        return detail::is_in_part<T, Part>(make_indices<tile_rank_v<T>>{}, i,
                                           static_cast<unsigned>(index)...);
      },
      detail::numbered<tile<unsigned, tile_shape_t<T>>>());
  return tiles::select(inside, repeated, x);
}
#endif

} // namespace detail

/// dst with the partition of the shape of src that has the given index replaced by src; the inverse of
/// extract.
template <tile_like Sub, tile_like T, typename... Indices>
  requires extractable_from<tile_shape_t<Sub>, T> && (sizeof...(Indices) == tile_rank_v<T>) &&
           (detail::convertible_to<Indices, size_t> && ...) &&
           non_narrowing_scalar_convertible_to<tile_element_t<Sub>, tile_element_t<T>>
[[nodiscard]] CUDA_TILE_API T insert(T const& dst, Sub const& src, Indices... idx) noexcept {
  using E = tile_element_t<T>;
  if constexpr (tile_rank_v<T> == 0) {
    return static_cast<T>(static_cast<E>(detail::convert<E>(static_cast<tile_element_t<Sub>>(src))));
  } else {
    size_t d = 0;
    ((checks::before_extract<T>(static_cast<size_t>(idx), d, detail::length<tile_shape_t<Sub>>(d)), ++d),
     ...);
    return detail::insert_part(dst, detail::converted_tile<tile<E, tile_shape_t<Sub>>>(src), idx...);
  }
}

#endif

} // namespace cuda::tiles::inline CUDA_TILE_ABI
