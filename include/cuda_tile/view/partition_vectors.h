// Accesses of 16 bytes, with several threads a block: where neighbours of a tile are neighbours in memory, at
// multiples of 16 bytes, and are all within the span or all beyond it. That is asked once a tile.
#pragma once

#include "cuda_tile/core/layouts.h"
#include "cuda_tile/tile/tile.h"

namespace cuda::tiles::detail {

/// How many elements a thread accesses at once; 1 if it cannot.
template <typename Span, typename Shape>
CUDA_TILE_CONSTEXPR unsigned access_vector() {
  if constexpr (Shape::rank() == 0) {
    return 1;
  } else {
    using E = typename Span::value_type;
    constexpr unsigned wanted = static_cast<unsigned>(16 / sizeof(E));
    constexpr size_t stride = layout_mapping_static_stride<typename Span::mapping_type>{}(
        static_cast<typename Span::rank_type>(Shape::rank() - 1));
    return stride == 1 && distribution_of<Shape>::vector >= wanted ? wanted : 1;
  }
}

/// Whether this partition may be accessed in vectors.
template <unsigned Vector, typename P>
CUDA_TILE_API bool is_vectorisable(P const& part) {
  constexpr size_t last = P::rank - 1;
  size_t places = reinterpret_cast<size_t>(part.origin);
  CUDA_TILE_UNROLL
  for (size_t d = 0; d + 1 < P::rank; ++d)
    places |= part.strides[d] * sizeof(typename P::element);
  return places % 16 == 0 && part.valid[last] % Vector == 0;
}

} // namespace cuda::tiles::detail
