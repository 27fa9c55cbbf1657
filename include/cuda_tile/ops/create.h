// [2.3.1] to [2.3.4] Tiles of given values.
#pragma once

#include "cuda_tile/tile/primitives.h"

namespace cuda::tiles::inline CUDA_TILE_ABI {

namespace detail {

/// Whether n is a value of integral scalar E.
template <typename E>
CUDA_TILE_CONSTEXPR bool represents(unsigned long long n) {
  return n <= static_cast<unsigned long long>(greatest_v<E>);
}

} // namespace detail

/// [2.3.1] Every element is x.
template <tile_like T>
CUDA_TILE_API T full(tile_element_t<T> x) noexcept {
  if constexpr (scalar<T>)
    return x;
  else
    return detail::filled<T>(x);
}

/// [2.3.2] 0, 1, 2, … in row-major order.
template <integral_tile T>
  requires(detail::represents<tile_element_t<T>>(tile_size_v<T> - 1))
CUDA_TILE_API T iota() noexcept {
  if constexpr (scalar<T>)
    return T(0);
  else
    return detail::numbered<T>();
}

/// [2.3.3]
template <numeric_tile T>
CUDA_TILE_API T ones() noexcept {
  return tiles::full<T>(detail::convert<tile_element_t<T>>(1));
}

/// [2.3.4] Positive zeros, which e8m0 lacks.
template <numeric_tile T>
  requires detail::has_zero_v<tile_element_t<T>>
CUDA_TILE_API T zeros() noexcept {
  return tiles::full<T>(detail::convert<tile_element_t<T>>(0));
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI
