// [2.12] partition_view: a tensor span divided into tiles, which are loaded and stored by their index.
#pragma once

#include "cuda_tile/view/updates.h"

namespace cuda::tiles::inline CUDA_TILE_ABI {

/// [2.12.1] Partition (i0, i1, …) holds the elements from (i0 * Shape0, i1 * Shape1, …) on. Where it extends
/// past the end of the span, masked accesses skip those elements, and unmasked accesses are undefined.
template <tensor_span_like Span, tile_shape Shape>
  requires detail::rank_of_span<Shape, Span> && detail::element_of_views<typename Span::element_type>
struct partition_view : detail::view_updates<detail::stepping<Shape>, Span, Shape> {
  __host__ __device__ constexpr partition_view(Span span, Shape) noexcept
      : detail::view_updates<detail::stepping<Shape>, Span, Shape>{span} {}
};

template <typename Span, typename Shape>
partition_view(Span, Shape) -> partition_view<Span, Shape>;

} // namespace cuda::tiles::inline CUDA_TILE_ABI
