// [2.5] What a matrix product takes: the lengths of its tiles, and the types in which it multiplies and sums.
#pragma once

#include "cuda_tile/core/elements.h"
#include "cuda_tile/tile/tile.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

template <typename E>
inline constexpr bool is_8bit_integer = is_integral_scalar_v<E> && bitwidth_v<E> == 8;
template <>
inline constexpr bool is_8bit_integer<__half> = false;

/// Rows, columns and batches of a matrix tile of rank 2 or 3.
template <typename T>
struct matrix {
  using S = tile_shape_t<T>;
  static constexpr size_t rank = S::rank();
  static constexpr bool valid = rank == 2 || rank == 3;
  static constexpr unsigned batches = rank == 3 ? static_cast<unsigned>(length<S>(0)) : 1;
  static constexpr unsigned rows = static_cast<unsigned>(length<S>(rank - 2));
  static constexpr unsigned columns = static_cast<unsigned>(length<S>(rank - 1));
};

/// The type in which products are summed: float for accumulators of half.
template <typename A>
using accumulator_t = elements::compute_t<A>;

template <typename C, typename E>
CUDA_TILE_API C multiply_add(E a, E b, C c) {
  if constexpr (is_integral_scalar_v<C>)
    return elements::add{}(c, static_cast<C>(static_cast<C>(a) * static_cast<C>(b)));
  else
    return platform::multiply_add(detail::convert<C>(a), detail::convert<C>(b), c);
}
template <typename C, typename E, typename F>
  requires(!is_same_v<E, F>)
CUDA_TILE_API C multiply_add(E a, F b, C c) {
  return multiply_add<C>(static_cast<C>(a), static_cast<C>(b), c);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
