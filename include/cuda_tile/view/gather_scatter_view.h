// [2.14 of 13.4] gather_scatter_view: tiles of a tensor span whose places along one dimension are given one
// by one.
#pragma once

#include "cuda_tile/view/access.h"

#if CUDA_TILE_API_VERSION >= 1304

namespace cuda::tiles::inline CUDA_TILE_ABI {
/// A chunk whose places along dimension Dim a tile names one by one, and which holds a box of neighbours
/// along the others, from the element on that an index names.
template <tensor_span_like Span, tile_shape Shape, size_t Dim>
  requires detail::rank_of_span<Shape, Span> && (Dim < Shape::rank()) &&
           detail::element_of_views<typename Span::element_type>
struct gather_scatter_view : detail::view_access<detail::gathering<Dim>, Span, Shape> {
  /// The dimension is part of the type; the argument only deduces it.
  template <typename T>
    requires detail::convertible_to<T, size_t>
  __host__ __device__ constexpr gather_scatter_view(Span span, Shape, T) noexcept
      : detail::view_access<detail::gathering<Dim>, Span, Shape>{span} {}
};

template <typename Span, typename Shape, integral auto Dim>
gather_scatter_view(Span, Shape, integral_constant<Dim>)
    -> gather_scatter_view<Span, Shape, static_cast<size_t>(Dim)>;

} // namespace cuda::tiles::inline CUDA_TILE_ABI

#endif
