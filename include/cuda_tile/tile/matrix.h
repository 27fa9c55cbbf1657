// [2.5] Matrix tiles: their rows, columns and batches, and the arithmetic of one product and sum.
#pragma once

#include "cuda_tile/core/elements.h"
#include "cuda_tile/tile/tile.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// Rows, columns and batches of a tile of rank 2 or 3.
template <typename T>
struct matrix {
  using S = tile_shape_t<T>;
  static constexpr size_t rank = S::rank();
  static constexpr unsigned batches = rank == 3 ? static_cast<unsigned>(length<S>(0)) : 1;
  static constexpr unsigned rows = static_cast<unsigned>(length<S>(rank - 2));
  static constexpr unsigned columns = static_cast<unsigned>(length<S>(rank - 1));
};

/// The classes of elements in the table of matrix products, spec/tables/mma.tsv: int8 and int32.
template <typename E>
inline constexpr bool is_8bit_integer = false;
template <typename E>
  requires is_integral_scalar_v<E>
inline constexpr bool is_8bit_integer<E> = bitwidth_v<E> == 8;
template <typename E>
inline constexpr bool is_signed_32bit_integer = false;
template <typename E>
  requires is_integral_scalar_v<E>
inline constexpr bool is_signed_32bit_integer<E> = is_signed_v<E> && bitwidth_v<E> == 32;

/// The type in which products are summed: float for accumulators of half.
template <typename A>
using accumulator_t = elements::compute_t<A>;

/// a * b + c, rounded once where processors have fused multiply-add.
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
  return detail::multiply_add<C>(static_cast<C>(a), static_cast<C>(b), c);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
