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

  /// The elements are uninitialised.
  tile() = default;

  template <tile_like O>
    requires tile_convertible_to<O, tile>
  CUDA_TILE_API explicit(!non_narrowing_tile_convertible_to<O, tile>) tile(O const& other) noexcept {
    checks::before_conversion<E>(other);
    detail::convert_into(*this, other);
  }

  template <scalar O>
    requires(scalar_convertible_to<E, O> && shape_size_v<S> == 1)
  CUDA_TILE_API explicit(!non_narrowing_scalar_convertible_to<E, O>) operator O() const noexcept {
    checks::before_conversion<O>(*this);
    checks::require_defined("conversion to a scalar", *this);
    return detail::convert<O>(detail::only_element(*this));
  }
};

template <scalar O>
tile(O) -> tile<detail::remove_cv_t<O>, shape<>>;

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
