// Moving elements of a tile with one thread a block, by nested loops whose innermost one is plain.
#pragma once

#include "cuda_tile/core/steps.h"
#include "cuda_tile/tile/tile.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

template <typename Shape, typename Steps, size_t D, typename E>
CUDA_TILE_API void copy_strided(E* to, E const* from) {
  if constexpr (D == Shape::rank()) {
    *to = *from;
  } else {
    constexpr size_t step = detail::length_product<Shape>(D + 1, Shape::rank());
    for (size_t i = 0; i != length<Shape>(D); ++i)
      detail::copy_strided<Shape, Steps, D + 1>(to + i * step, from + i * Steps::at(D));
  }
}

/// The tile r of shape Shape with r(i0, i1, …) = from's element at row-major position
/// offset + i0 * Steps::at(0) + i1 * Steps::at(1) + …
template <typename Shape, typename Steps, typename From>
CUDA_TILE_API tile<typename From::element_type, Shape> rearrange(From const& from, unsigned offset = 0) {
  tile<typename From::element_type, Shape> to;
  checks::after_rearrange(to, from,
                          [offset](unsigned i) { return offset + strided_index<Shape, Steps>::of(i); });
  detail::copy_strided<Shape, Steps, 0>(to.slots, from.slots + offset);
  return to;
}

/// The tile r with r(i) = x(position(i)), where i is row-major.
template <typename T, typename Position>
CUDA_TILE_API T taken(T const& x, Position position) {
  T result = x;
  for (unsigned i = 0; i < T::distribution::size; ++i)
    result.slots[i] = x.slots[position(i)];
  return result;
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
