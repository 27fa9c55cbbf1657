// [2.3.5] [2.3.6] isinf and isnan, [2.3.19] element_cast, [2.3.20] element_bitcast.
#pragma once

#include "cuda_tile/ops/elements.h"
#include "cuda_tile/tile/map.h"

namespace cuda::tiles {

/// [2.3.5]
template <basic_floating_point_tile T>
CUDA_TILE_API tile_with_element_t<T, bool> isinf(T const& x) noexcept {
  using E = tile_element_t<T>;
  return detail::map<tile_with_element_t<T, bool>>(
      [](E a) { return elements::equal{}(elements::abs{}(a), elements::infinity<E>()); }, x);
}

/// [2.3.6]
template <basic_floating_point_tile T>
CUDA_TILE_API tile_with_element_t<T, bool> isnan(T const& x) noexcept {
  return detail::map<tile_with_element_t<T, bool>>([](auto a) { return elements::not_equal{}(a, a); }, x);
}

/// [2.3.19] The tile conversion of x to elements of type E.
template <scalar E, tile_like T>
  requires tile_convertible_to<T, tile_with_element_t<T, E>>
CUDA_TILE_API tile_with_element_t<T, E> element_cast(T const& x) noexcept {
  return detail::map<tile_with_element_t<T, E>>(
      [](auto a) { return detail::convert<detail::remove_cv_t<E>>(a); }, x);
}

/// [2.3.20] The bits of each element as an E of the same size.
template <scalar E, tile_like T>
  requires(sizeof(E) == sizeof(tile_element_t<T>))
CUDA_TILE_API tile_with_element_t<T, E> element_bitcast(T const& x) noexcept {
  return detail::map<tile_with_element_t<T, E>>(
      [](auto a) { return platform::bit_cast<detail::remove_cv_t<E>>(a); }, x);
}

} // namespace cuda::tiles
