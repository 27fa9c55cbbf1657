// Where a partition of a tensor span lies in memory, and which of its elements are within the span. Shared by
// the back ends that run kernels.
#pragma once

#include "cuda_tile/core/elements.h"
#include "cuda_tile/core/tensor_span.h"
#include "cuda_tile/tile/access.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

template <typename Span, typename Shape>
struct partition {
  using element = typename Span::element_type;
  using mapping = typename Span::mapping_type;
  static constexpr size_t rank = Shape::rank();
  static constexpr size_t dims = rank == 0 ? 1 : rank; // arrays cannot be empty

  element* origin;
  size_t strides[dims];
  unsigned valid[dims]; // lengths within the span, from 0 to those of Shape

  size_t elements = 1; // of the whole span
  size_t row = 1;      // length of the last dimension of the span
  size_t places;       // bits that may be set in the rows' addresses, apart from multiples of the rows' bytes

  template <typename Steps>
  CUDA_TILE_API explicit partition(partition_index<Span, Shape, Steps> const& index)
      : origin{index.span.data_handle()}, strides{}, valid{}, places{reinterpret_cast<size_t>(origin)} {
    Span const& span = index.span;
    CUDA_TILE_UNROLL
    for (size_t d = 0; d != rank; ++d) {
      size_t first = index.at[d] * length<Steps>(d);
      size_t extent = static_cast<size_t>(span.mapping().extents().extent(d));
      size_t left = first < extent ? extent - first : 0;
      elements *= extent;
      strides[d] = static_cast<size_t>(span.mapping().stride(d));
      valid[d] = static_cast<unsigned>(left < length<Shape>(d) ? left : length<Shape>(d));
      origin += first * strides[d];
      if (d + 1 == rank) {
        row = extent;
        if constexpr (!is_same_v<Steps, Shape>)
          places |= length<Steps>(d) * strides[d] * sizeof(element);
      } else // Not derived from `origin`, so it is the same for all partitions that a loop visits.
        places |= (length<Shape>(d) == 1 ? first * strides[d] : strides[d]) * sizeof(element);
    }
  }

  template <size_t D>
  CUDA_TILE_API size_t stride() const {
    constexpr size_t known =
        layout_mapping_static_stride<mapping>{}(static_cast<typename mapping::rank_type>(D));
    return known == dynamic_extent ? strides[D] : known;
  }
  CUDA_TILE_API bool whole() const {
    bool all = true;
    for (size_t d = 0; d != rank; ++d)
      all = all && valid[d] == length<Shape>(d);
    return all;
  }
};
template <typename Span, typename Shape>
  requires(Shape::rank() == 0)
struct partition<Span, Shape> {
  using element = typename Span::element_type;
  element* origin;
  template <typename Steps>
  CUDA_TILE_API explicit partition(partition_index<Span, Shape, Steps> const& index)
      : origin{index.span.data_handle()} {}
  CUDA_TILE_API bool whole() const { return true; }
};

/// Offset in memory of the element with row-major index i.
template <size_t D, typename Shape, typename P>
CUDA_TILE_API size_t element_offset(P const& part, unsigned i) {
  if constexpr (D == Shape::rank()) {
    return 0;
  } else {
    constexpr unsigned step = static_cast<unsigned>(detail::length_product<Shape>(D + 1, Shape::rank()));
    return i / step * part.template stride<D>() + detail::element_offset<D + 1, Shape>(part, i % step);
  }
}

/// How many elements of the row are within the span, counted from the one with row-major index i; zero or
/// less means none.
template <size_t D, typename Shape, typename P>
CUDA_TILE_API int count_inside(P const& part, unsigned i) {
  if constexpr (D == Shape::rank()) {
    return 1;
  } else {
    constexpr unsigned step = static_cast<unsigned>(detail::length_product<Shape>(D + 1, Shape::rank()));
    int const left = static_cast<int>(part.valid[D]) - static_cast<int>(i / step);
    if constexpr (D + 1 >= Shape::rank()) {
      return left;
    } else {
      int const of_row = detail::count_inside<D + 1, Shape>(part, i % step);
      return left > 0 ? of_row : 0;
    }
  }
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
