// [2.1.4] Properties of tile like types, [2.1.5] conversions between them.
#pragma once

#include "cuda_tile/core/convert.h"
#include "cuda_tile/tile/concepts.h"

namespace cuda::tiles::inline CUDA_TILE_ABI {

template <scalar E, tile_shape S>
struct tile;

namespace detail {

template <typename E, typename S>
inline constexpr bool is_tile_v<tile<E, S>> = true;
template <typename E, typename S>
struct tile_parts<tile<E, S>> {
  using element = E;
  using shape = S;
};

} // namespace detail

/// [2.1.4.1]
template <tile_like T>
using tile_element_t = detail::element_t<T>;
/// [2.1.4.2]
template <tile_like T>
using tile_shape_t = typename detail::tile_parts<detail::remove_cv_t<T>>::shape;
/// [2.1.4.3]
template <tile_like T>
inline constexpr size_t tile_size_v = shape_size_v<tile_shape_t<T>>;
/// [2.1.4.4]
template <tile_like T>
inline constexpr size_t tile_rank_v = tile_shape_t<T>::rank();

namespace detail {

/// Element E in shape S; a scalar if Scalar is true.
template <bool Scalar, typename E, typename S>
struct tile_or_scalar {
  using type = tile<E, S>;
};
template <typename E, typename S>
struct tile_or_scalar<true, E, S> {
  using type = E;
};

} // namespace detail

/// [2.1.4.5] T with elements of type E; a scalar stays a scalar.
template <tile_like T, scalar E>
using tile_with_element_t =
    typename detail::tile_or_scalar<detail::is_scalar_v<T>, detail::remove_cv_t<E>, tile_shape_t<T>>::type;

/// [2.1.5.1]
template <typename T, typename U>
concept scalar_convertible_to =
    scalar<T> && scalar<U> &&
    detail::scalar_conversion_exists<detail::remove_cv_t<T>, detail::remove_cv_t<U>>();
/// [2.1.5.2]
template <typename T, typename U>
concept non_narrowing_scalar_convertible_to =
    scalar_convertible_to<T, U> &&
    !detail::scalar_conversion_narrows<detail::remove_cv_t<T>, detail::remove_cv_t<U>>();
/// [2.1.5.3]
template <typename T, typename U>
concept tile_convertible_to = tile_like<T> && tile_like<U> && same_shape<tile_shape_t<T>, tile_shape_t<U>> &&
                              scalar_convertible_to<tile_element_t<T>, tile_element_t<U>>;
/// [2.1.5.4]
template <typename T, typename U>
concept non_narrowing_tile_convertible_to =
    tile_convertible_to<T, U> && non_narrowing_scalar_convertible_to<tile_element_t<T>, tile_element_t<U>>;
/// [2.1.5.5]
template <typename T>
concept bool_tile_convertible = tile_like<T> && tile_convertible_to<T, tile_with_element_t<T, bool>>;
/// [2.1.5.7]
template <typename T, typename U>
concept broadcastable_to = tile_like<T> && tile_shape<U> && shape_broadcastable_to<tile_shape_t<T>, U>;

namespace detail {

template <typename T, typename U>
CUDA_TILE_CONSTEXPR bool have_broadcast_tile_shape() {
  if constexpr (shape_broadcast_compatible<tile_shape_t<T>, tile_shape_t<U>>)
    return tile_shape<shape_broadcast_t<tile_shape_t<T>, tile_shape_t<U>>>;
  else
    return false;
}

} // namespace detail

/// [2.1.5.10] Whether two tile like types have a common shape that a tile can have.
template <typename T, typename U>
concept broadcast_compatible = tile_like<T> && tile_like<U> && detail::have_broadcast_tile_shape<T, U>();

/// [2.1.5.11] Elements E in the common shape of T and U; a scalar if both are scalars.
template <tile_like T, tile_like U, scalar E>
  requires broadcast_compatible<T, U>
using mutual_broadcast_t =
    typename detail::tile_or_scalar<detail::is_scalar_v<T> && detail::is_scalar_v<U>, detail::remove_cv_t<E>,
                                    shape_broadcast_t<tile_shape_t<T>, tile_shape_t<U>>>::type;

namespace detail {

/// [1.7.4] Element type of an arithmetic tile conversion: the tile's element type if the other operand is a
/// scalar.
template <typename T, typename U>
struct conversion_element {
  using type = arithmetic_common_t<element_t<T>, element_t<U>>;
};
template <typename T, typename U>
  requires(is_scalar_v<T> && !is_scalar_v<U>)
struct conversion_element<T, U> {
  using type = element_t<U>;
};
template <typename T, typename U>
  requires(!is_scalar_v<T> && is_scalar_v<U>)
struct conversion_element<T, U> {
  using type = element_t<T>;
};

template <typename T, typename U, typename E>
inline constexpr bool operands_convert =
    arithmetic_operand_converts<element_t<T>, E>() && arithmetic_operand_converts<element_t<U>, E>();

template <typename T, typename U>
using comparison_element_t = arithmetic_common_t<element_t<T>, element_t<U>>;

} // namespace detail

/// [2.1.5.12] Whether an arithmetic conversion of T and U exists: they need a common shape and element type,
/// without narrowing.
template <typename T, typename U>
concept arithmetic_tile_convertible =
    arithmetic_tile<T> && arithmetic_tile<U> && broadcast_compatible<T, U> &&
    detail::operands_convert<T, U, typename detail::conversion_element<T, U>::type>;
/// [2.1.5.13]
template <arithmetic_tile T, arithmetic_tile U>
  requires arithmetic_tile_convertible<T, U>
using arithmetic_tile_conversion_t =
    mutual_broadcast_t<T, U, typename detail::conversion_element<T, U>::type>;

/// [2.1.5.14] Like arithmetic_tile_convertible, but neither operand is preferred.
template <typename T, typename U>
concept arithmetic_tile_comparable = arithmetic_tile<T> && arithmetic_tile<U> && broadcast_compatible<T, U> &&
                                     detail::operands_convert<T, U, detail::comparison_element_t<T, U>>;
/// [2.1.5.15]
template <arithmetic_tile T, arithmetic_tile U>
  requires arithmetic_tile_comparable<T, U>
using arithmetic_tile_comparison_t = mutual_broadcast_t<T, U, detail::comparison_element_t<T, U>>;

/// [2.1.5.16]
template <arithmetic_tile T>
using arithmetic_tile_promotion_t = tile_with_element_t<T, detail::promotion_t<tile_element_t<T>>>;

} // namespace cuda::tiles::inline CUDA_TILE_ABI
