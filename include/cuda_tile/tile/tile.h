// [1.6] [2.9] tile: an immutable multi-dimensional array of scalars.
//
// The back end decides what a tile holds: its base class detail::back_end::storage<E, S>, which is trivially
// copyable and leaves the elements uninitialised. Only back ends and checks look into it. It has its own
// namespace because argument-dependent lookup would find anything declared beside it.
#pragma once

#include "cuda_tile/checked/elements.h"
#include "cuda_tile/tile/conversions.h"
#include CUDA_TILE_STORAGE

namespace cuda::tiles::inline CUDA_TILE_ABI {

namespace detail {

// The primitives that a tile itself needs; the others are in tile/primitives.h.

/// result(I) = other(I), converted; `other` has the shape of the result, or is a scalar if the result has one
/// element.
template <typename T, typename O>
CUDA_TILE_API void convert_into(T& result, O const& other);

/// result(I) = the element of an array, of arrays of …, with the same place in row-major order, converted.
template <typename T, typename A>
CUDA_TILE_API void list_into(T& result, A const& values);

template <typename A>
struct array_parts { // of no array
  using element = A;
  static constexpr unsigned size = 1;
};
template <typename A, size_t N>
struct array_parts<A[N]> {
  using element = typename array_parts<A>::element;
  static constexpr unsigned size = static_cast<unsigned>(N) * array_parts<A>::size;
};
/// Element i of an array in row-major order.
template <typename A>
CUDA_TILE_API auto array_element(A const& values, [[maybe_unused]] unsigned i) {
  return values;
}
template <typename A, size_t N>
CUDA_TILE_API auto array_element(A const (&values)[N], unsigned i) {
  return detail::array_element(values[i / array_parts<A>::size], i % array_parts<A>::size);
}

/// Whether tile elements E in shape S are listed as O in arrays of these lengths.
template <typename E, typename S, typename O, size_t... N>
concept lists = scalar_convertible_to<O, E> && !is_pointer_scalar_v<E> && same_shape<S, shape<N...>>;

/// The element of a tile of one element.
template <typename T>
CUDA_TILE_API element_t<T> only_element(T const& x);

} // namespace detail

/// [2.9.1] Trivially copyable. With one thread per block, size and alignment are those of an array of E.
template <scalar E, tile_shape S>
struct tile final : detail::back_end::storage<E, S> {
  static_assert(!detail::is_cv_v<E> && !detail::is_cv_v<S>,
                "the element type and shape of a tile must not be cv-qualified [2.9.1]");
  using shape_type = S;
  using element_type = E;
  using rank_type = typename S::rank_type;
#if CUDA_TILE_API_VERSION >= 1304
  using index_type = typename S::index_type;
#endif

  /// The elements are uninitialised.
  tile() = default;

  template <tile_like O>
    requires tile_convertible_to<O, tile>
  CUDA_TILE_API explicit(!non_narrowing_tile_convertible_to<O, tile>) tile(O const& other) noexcept {
    checks::before_conversion<E>(other);
    detail::convert_into(*this, other);
  }

  /// An array is a pointer to its first element.
  template <typename O, size_t N>
    requires tile_convertible_to<O*, tile>
  CUDA_TILE_API explicit(!non_narrowing_tile_convertible_to<O*, tile>) tile(O (&values)[N]) noexcept
      : tile(static_cast<O*>(values)) {}

#if CUDA_TILE_API_VERSION >= 1305
  // The elements in row-major order. The manual of 13.5 may ask for constants; here they need not be.
  template <scalar O, size_t N0>
    requires detail::lists<E, S, O, N0>
  CUDA_TILE_API explicit(!non_narrowing_scalar_convertible_to<O, E>) tile(O const (&values)[N0]) noexcept {
    detail::list_into(*this, values);
  }
  template <scalar O, size_t N0, size_t N1>
    requires detail::lists<E, S, O, N0, N1>
  CUDA_TILE_API explicit(!non_narrowing_scalar_convertible_to<O, E>)
      tile(O const (&values)[N0][N1]) noexcept {
    detail::list_into(*this, values);
  }
  template <scalar O, size_t N0, size_t N1, size_t N2>
    requires detail::lists<E, S, O, N0, N1, N2>
  CUDA_TILE_API explicit(!non_narrowing_scalar_convertible_to<O, E>)
      tile(O const (&values)[N0][N1][N2]) noexcept {
    detail::list_into(*this, values);
  }
  template <scalar O, size_t N0, size_t N1, size_t N2, size_t N3>
    requires detail::lists<E, S, O, N0, N1, N2, N3>
  CUDA_TILE_API explicit(!non_narrowing_scalar_convertible_to<O, E>)
      tile(O const (&values)[N0][N1][N2][N3]) noexcept {
    detail::list_into(*this, values);
  }
  template <scalar O, size_t N0, size_t N1, size_t N2, size_t N3, size_t N4>
    requires detail::lists<E, S, O, N0, N1, N2, N3, N4>
  CUDA_TILE_API explicit(!non_narrowing_scalar_convertible_to<O, E>)
      tile(O const (&values)[N0][N1][N2][N3][N4]) noexcept {
    detail::list_into(*this, values);
  }
#endif

  template <scalar O>
    requires(scalar_convertible_to<E, O> && shape_size_v<S> == 1)
  CUDA_TILE_API explicit(!non_narrowing_scalar_convertible_to<E, O>) operator O() const noexcept {
    checks::before_conversion<O>(*this);
    checks::require_defined("conversion to a scalar", *this);
    return detail::convert<O>(detail::only_element(*this));
  }
};

#if CUDA_TILE_API_VERSION < 1305
template <scalar O>
tile(O) -> tile<detail::remove_cv_t<O>, shape<>>;
#else
namespace detail {

/// A scalar that is passed by reference; an array stands for a pointer to its first element.
template <typename O>
struct passed {
  using type = remove_cv_t<O>;
};
template <typename O, size_t N>
struct passed<O[N]> {
  using type = O*;
};
template <size_t... N>
concept list_lengths = tile_shape<shape<N...>>;

} // namespace detail

template <typename O>
  requires scalar<typename detail::passed<O>::type>
tile(O const&) -> tile<typename detail::passed<O const>::type, shape<>>;
template <scalar O, size_t N0>
  requires detail::list_lengths<N0>
tile(O const (&)[N0]) -> tile<O, shape<N0>>;
template <scalar O, size_t N0, size_t N1>
  requires detail::list_lengths<N0, N1>
tile(O const (&)[N0][N1]) -> tile<O, shape<N0, N1>>;
template <scalar O, size_t N0, size_t N1, size_t N2>
  requires detail::list_lengths<N0, N1, N2>
tile(O const (&)[N0][N1][N2]) -> tile<O, shape<N0, N1, N2>>;
template <scalar O, size_t N0, size_t N1, size_t N2, size_t N3>
  requires detail::list_lengths<N0, N1, N2, N3>
tile(O const (&)[N0][N1][N2][N3]) -> tile<O, shape<N0, N1, N2, N3>>;
template <scalar O, size_t N0, size_t N1, size_t N2, size_t N3, size_t N4>
  requires detail::list_lengths<N0, N1, N2, N3, N4>
tile(O const (&)[N0][N1][N2][N3][N4]) -> tile<O, shape<N0, N1, N2, N3, N4>>;
#endif

namespace detail {

/// Whether an operand's element s goes with element s of a tile of shape S, or its only value with every
/// element.
template <typename Operand, typename S>
inline constexpr bool is_aligned_operand =
    scalar<Operand> || tile_size_v<Operand> == 1 || tile_size_v<Operand> == shape_size_v<S>;

template <typename S, size_t D>
struct reduced_lengths {
  CUDA_TILE_CONSTEXPR static size_t at(size_t d) { return d == D ? 1 : length<S>(d); }
};
/// T with length 1 in dimension D.
template <typename T, size_t D>
using reduced_tile = tile<tile_element_t<T>, make_shape<reduced_lengths<tile_shape_t<T>, D>, tile_rank_v<T>>>;

} // namespace detail

} // namespace cuda::tiles::inline CUDA_TILE_ABI
