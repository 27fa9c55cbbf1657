// [2.3.5] [2.3.6] isinf and isnan, [2.3.19] element_cast, [2.3.20] element_bitcast.
#pragma once

#include "cuda_tile/core/elements.h"
#include "cuda_tile/core/rounded_casts.h"
#include "cuda_tile/tile/primitives.h"

namespace cuda::tiles::inline CUDA_TILE_ABI {

namespace detail {

/// The type in which an element is examined: float for types that convert to it without loss.
template <typename E>
using inspected_t = conditional_t<is_below_float<E>, float, E>;

/// What isinf and isnan take: before 13.4 basic floating point tiles only.
template <typename T>
concept inspected_tile =
    floating_point_tile<T> && (CUDA_TILE_API_VERSION >= 1304 || basic_floating_point_tile<T>);

} // namespace detail

/// [2.3.5]
template <detail::inspected_tile T>
CUDA_TILE_API tile_with_element_t<T, bool> isinf(T const& x) noexcept {
  using E = detail::inspected_t<tile_element_t<T>>;
  return detail::map<tile_with_element_t<T, bool>>(
      [](auto a) { return elements::abs{}(detail::convert<E>(a)) == elements::infinity<E>(); }, x);
}

/// [2.3.6]
template <detail::inspected_tile T>
CUDA_TILE_API tile_with_element_t<T, bool> isnan(T const& x) noexcept {
  using E = detail::inspected_t<tile_element_t<T>>;
  return detail::map<tile_with_element_t<T, bool>>(
      [](auto a) {
        E value = detail::convert<E>(a);
        return value != value;
      },
      x);
}

/// [2.3.19] The tile conversion of x to elements of type E.
template <scalar E, tile_like T>
  requires tile_convertible_to<T, tile_with_element_t<T, E>>
CUDA_TILE_API tile_with_element_t<T, E> element_cast(T const& x) noexcept {
  checks::before_conversion<E>(x);
  if constexpr (detail::is_same_v<tile_with_element_t<T, E>, T>)
    return detail::computed(x); // copies the whole tile instead of each element, which compiles faster
  else
    return detail::map<tile_with_element_t<T, E>>(detail::conversion_to<detail::remove_cv_t<E>>{}, x);
}

/// [2.3.20] The bits of each element as an E of the same size and, except for bool, the same bitwidth.
template <scalar E, tile_like T>
  requires(detail::memory_bitwidth_v<E> == detail::memory_bitwidth_v<tile_element_t<T>>)
CUDA_TILE_API tile_with_element_t<T, E> element_bitcast(T const& x) noexcept {
  checks::before_bitcast<E>(x);
  return detail::map<tile_with_element_t<T, E>>(
      [](auto a) { return platform::bit_cast<detail::remove_cv_t<E>>(a); }, x);
}

#if CUDA_TILE_API_VERSION >= 1305

/// [2.3.19] The tile conversion of floating point elements in a rounding mode.
template <scalar E, tile_like T, typename..., rounding_mode Mode>
  requires tile_convertible_to<T, tile_with_element_t<T, E>> &&
           (detail::casts_in_mode<detail::remove_cv_t<E>, tile_element_t<T>, Mode>())
CUDA_TILE_API tile_with_element_t<T, E> element_cast(T const& x, rounding_mode_constant<Mode>) noexcept {
  return detail::map<tile_with_element_t<T, E>>(
      [](auto a) { return detail::convert_in_mode<detail::remove_cv_t<E>, Mode>(a); }, x);
}

/// [2.3.19] The tile conversion of floating point to integral elements, which saturates if the mode says so.
template <scalar E, basic_floating_point_tile T, typename..., saturation_mode Mode>
  requires integral_scalar<E>
CUDA_TILE_API tile_with_element_t<T, E> element_cast(T const& x, saturation_mode_constant<Mode>) noexcept {
  if constexpr (Mode == saturation_mode::saturate_none)
    return tiles::element_cast<E>(x);
  else
    return detail::map<tile_with_element_t<T, E>>(
        [](auto a) { return detail::convert_saturating<detail::remove_cv_t<E>>(a); }, x);
}

#endif

} // namespace cuda::tiles::inline CUDA_TILE_ABI
