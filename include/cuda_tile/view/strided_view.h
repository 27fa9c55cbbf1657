// [2.13 of 13.4] strided_view: tiles of a tensor span that begin any number of elements apart.
#pragma once

#include "cuda_tile/core/strides.h"
#include "cuda_tile/view/updates.h"

#if CUDA_TILE_API_VERSION >= 1304

namespace cuda::tiles::inline CUDA_TILE_ABI {
namespace detail {

template <typename Span, size_t... D>
CUDA_TILE_CONSTEXPR auto no_offsets(indices<D...>) -> offsets<int32_t, static_cast<ptrdiff_t>(D * 0)...>;
template <typename Span>
using no_offsets_t =
    decltype(detail::no_offsets<Span>(make_indices<static_cast<size_t>(Span::extents_type::rank())>{}));

template <typename Strides, size_t... D>
CUDA_TILE_CONSTEXPR auto steps_of(indices<D...>)
    -> extents<size_t, Strides::static_stride(static_cast<typename Strides::rank_type>(D))...>;

template <typename Strides>
CUDA_TILE_CONSTEXPR bool are_steps() {
  for (size_t d = 0; d != static_cast<size_t>(Strides::rank()); ++d) {
    size_t const step = Strides::static_stride(static_cast<typename Strides::rank_type>(d));
    if (step == dynamic_stride || step == 0 ||
        step > static_cast<size_t>(greatest_v<typename Strides::stride_type>))
      return false;
  }
  return true;
}
/// Static strides that are greater than 0 and values of their type, which is not const.
template <typename Strides>
concept static_strides = !is_cv_v<Strides> && are_steps<Strides>();
template <typename Strides, typename Span>
concept strides_of_index_type = is_same_v<typename Strides::stride_type, typename Span::index_type>;
template <typename Offsets, typename Span>
concept zero_offsets = is_same_v<Offsets, no_offsets_t<Span>>;

template <typename Strides>
using stepping_by =
    stepping<decltype(detail::steps_of<Strides>(make_indices<static_cast<size_t>(Strides::rank())>{}))>;

} // namespace detail

/// Chunk (i0, i1, …) holds the elements from (i0 * Stride0, i1 * Stride1, …) on, as many as Shape says:
/// chunks overlap where a stride is less than the length, and leave gaps where it is greater.
template <tensor_span_like Span, tile_shape Shape, strides_like Strides,
          offsets_like Offsets = detail::no_offsets_t<Span>>
  requires detail::rank_of_span<Shape, Span> && detail::rank_of_span<Strides, Span> &&
           detail::strides_of_index_type<Strides, Span> && detail::static_strides<Strides> &&
           detail::zero_offsets<Offsets, Span> && detail::element_of_views<typename Span::element_type>
struct strided_view : detail::view_updates<detail::stepping_by<Strides>, Span, Shape> {
  __host__ __device__ constexpr strided_view(Span span, Shape, Strides, Offsets = {}) noexcept
      : detail::view_updates<detail::stepping_by<Strides>, Span, Shape>{span} {}
};

template <typename Span, typename Shape, typename Strides>
strided_view(Span, Shape, Strides) -> strided_view<Span, Shape, Strides>;
template <typename Span, typename Shape, typename Strides, typename Offsets>
strided_view(Span, Shape, Strides, Offsets) -> strided_view<Span, Shape, Strides, Offsets>;

} // namespace cuda::tiles::inline CUDA_TILE_ABI

#endif
