// Traversal of row-major arrays: for each dimension of a shape, the number of elements that one step moves
// by. A class `Steps` supplies them as `Steps::at(d)`.
#pragma once

#include "cuda_tile/core/extents.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// The steps of a shape's own row-major order.
template <typename S>
struct row_major_steps {
  CUDA_TILE_CONSTEXPR static size_t at(size_t d) { return detail::length_product<S>(d + 1, S::rank()); }
};

/// Steps through S with its dimensions permuted: dimension d of the result is dimension Map::mapping(d) of S.
template <typename S, typename Map>
struct permuted_steps {
  CUDA_TILE_CONSTEXPR static size_t at(size_t d) { return row_major_steps<S>::at(Map::mapping(d)); }
};

/// Steps that broadcast From to a shape of rank Rank: zero along dimensions of length 1.
template <typename From, size_t Rank>
struct broadcast_steps {
  CUDA_TILE_CONSTEXPR static size_t at(size_t d) {
    constexpr size_t rank = From::rank();
    if (d + rank < Rank || length<From>(d + rank - Rank) == 1)
      return 0;
    return length_product<From>(d + rank - Rank + 1, rank);
  }
};

template <typename Shape, typename Steps>
struct strided_index {
  /// Position in the source of the element with row-major index `i` of Shape.
  CUDA_TILE_CONSTEXPR static unsigned of(unsigned i) {
    unsigned position = 0;
    CUDA_TILE_UNROLL
    for (size_t d = Shape::rank(); d-- > 0;) {
      position += i % static_cast<unsigned>(length<Shape>(d)) * static_cast<unsigned>(Steps::at(d));
      i /= static_cast<unsigned>(length<Shape>(d));
    }
    return position;
  }
};

/// Position in From of the first element of its partition of shape Part with the given index. An
/// out-of-bounds index is undefined, but still gives a position within From.
template <typename From, typename Part, typename... Indices>
CUDA_TILE_CONSTEXPR unsigned partition_start(Indices... index) {
  size_t start = 0, d = 0;
  ((start += index * length<Part>(d) * row_major_steps<From>::at(d), ++d), ...);
  return static_cast<unsigned>(start % shape_size_v<From>);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
