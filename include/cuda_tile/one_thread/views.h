// Memory by views with one thread a block: nested loops, the innermost of which is plain where the stride is
// known to be 1.
#pragma once

#include "cuda_tile/checked/partition.h"
#include "cuda_tile/platform/host_streaming.h"
#include "cuda_tile/platform/host_vectors.h"
#include "cuda_tile/tile/memory_elements.h"
#include "cuda_tile/tile/partition.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// Weak stores of whole rows that bypass the caches.
struct streaming_access : plain_access {};

/// Whether rows are copied in whole vectors, as those of spans without gaps are.
template <size_t D, typename P, typename Shape, typename Access, typename E>
CUDA_TILE_CONSTEXPR bool copies_vectors() {
  if constexpr (!checks::enabled && D + 1 == Shape::rank())
    return is_same_v<Access, plain_access> &&
           layout_mapping_static_stride<typename P::mapping>{}(
               static_cast<typename P::mapping::rank_type>(D)) == 1 &&
           length<Shape>(D) * sizeof(E) % platform::vector_bytes == 0;
  return false;
}

/// Whether a tile is one row that is copied in whole vectors.
template <typename P, typename Shape, typename Access, typename E>
CUDA_TILE_CONSTEXPR bool is_row_of_vectors() {
  if constexpr (Shape::rank() != 0)
    return shape_size_v<Shape> == detail::length<Shape>(Shape::rank() - 1) &&
           copies_vectors<Shape::rank() - 1, P, Shape, Access, E>();
  return false;
}

/// The distance from a row to the data worth prefetching, which the processor would fetch too late by itself.
/// For a tile of one row, that is the tile likely to follow, if tiles are so large that it begins in another
/// page. Otherwise it is the row after the next, which is far away in a wide span.
template <size_t D, typename Shape, typename E, typename P>
CUDA_TILE_API size_t bytes_ahead(P const& part) {
  if constexpr (shape_size_v<Shape> == length<Shape>(D))
    return length<Shape>(D) * sizeof(E) >= 4096 ? 2048 : 0;
  else
    return 2 * part.template stride<D - 1>() * sizeof(E);
}

/// How many bytes of a row are copied at a time: two cache lines, which is faster where rows are far apart,
/// and slower in a tile of one long row.
template <size_t D, typename Shape>
inline constexpr unsigned bytes_at_once =
    shape_size_v<Shape> == length<Shape>(D) ? platform::vector_bytes : 128;

template <bool Masked, size_t D, typename P, typename Shape, typename Access, typename E>
CUDA_TILE_API void load_rows(P const& part, Shape shape, Access access, E* to, typename P::element* from,
                             E pad) {
  if constexpr (D == Shape::rank()) {
    *to = detail::read_element(access, from);
  } else if constexpr (!Masked && copies_vectors<D, P, Shape, Access, E>()) {
    platform::copy_vectors<length<Shape>(D) * sizeof(E), bytes_at_once<D, Shape>>(
        to, from, detail::bytes_ahead<D, Shape, E>(part));
  } else {
    constexpr size_t step = detail::length_product<Shape>(D + 1, Shape::rank());
    size_t const stride = part.template stride<D>();
    size_t const count = Masked ? part.valid[D] : length<Shape>(D);
    for (size_t i = 0; i != count; ++i)
      detail::load_rows<Masked, D + 1>(part, shape, access, to + i * step, from + i * stride, pad);
    if constexpr (Masked)
      for (size_t i = count * step; i < length<Shape>(D) * step; ++i)
        to[i] = pad;
  }
}

template <bool Masked, size_t D, typename P, typename Shape, typename Access, typename E>
CUDA_TILE_API void store_rows(P const& part, Shape shape, Access access, typename P::element* to,
                              E const* from) {
  if constexpr (D == Shape::rank()) {
    detail::write_element(access, to, *from);
  } else if constexpr (is_same_v<Access, streaming_access> && D + 1 == Shape::rank()) {
    platform::stream<length<Shape>(D) * sizeof(E)>(to, from);
  } else if constexpr (!Masked && copies_vectors<D, P, Shape, Access, E>()) {
    constexpr bool is_one_row = shape_size_v<Shape> == length<Shape>(D);
    platform::copy_vectors<length<Shape>(D) * sizeof(E), bytes_at_once<D, Shape>>(
        to, from, 0, is_one_row ? 0 : detail::bytes_ahead<D, Shape, E>(part));
  } else {
    constexpr size_t step = detail::length_product<Shape>(D + 1, Shape::rank());
    size_t const stride = part.template stride<D>();
    size_t const count = Masked ? part.valid[D] : length<Shape>(D);
    for (size_t i = 0; i != count; ++i)
      detail::store_rows<Masked, D + 1>(part, shape, access, to + i * stride, from + i * step);
  }
}

template <bool Masked, typename P, typename Shape, typename Access, typename E>
CUDA_TILE_API void load_elements(P const& part, Shape shape, Access access, E* to, E pad) {
  if constexpr (Masked && is_row_of_vectors<P, Shape, Access, E>()) {
    // A partial row that fits in registers is padded in an array of its own: only what is written in one
    // place can stay in registers.
    constexpr size_t last = Shape::rank() - 1;
    if constexpr (shape_size_v<Shape> * sizeof(E) > 4 * platform::vector_bytes)
      if (!part.whole()) {
        size_t count = part.valid[last];
        for (size_t d = 0; d < last; ++d)
          count = part.valid[d] == 0 ? 0 : count;
        return platform::copy_first<shape_size_v<Shape>>(to, static_cast<E const*>(part.origin), count, pad);
      }
    E padded[shape_size_v<Shape>];
    E const* from = part.origin;
    if (!part.whole()) {
      detail::load_rows<true, 0>(part, shape, access, padded, part.origin, pad);
      from = padded;
    }
    return platform::copy_vectors<sizeof padded>(to, from, detail::bytes_ahead<last, Shape, E>(part));
  }
  if (!Masked || part.whole())
    detail::load_rows<false, 0>(part, shape, access, to, part.origin, pad);
  else
    detail::load_rows<true, 0>(part, shape, access, to, part.origin, pad);
}

template <bool Masked, typename Access, typename Span, typename Shape>
CUDA_TILE_API partition_tile<Span, Shape> load_partition(Access access, partition<Span, Shape> const& part,
                                                         typename Span::value_type pad) {
  constexpr unsigned flags = checks::access_flags<Access, checks::reads>;
  partition_tile<Span, Shape> result;
  checks::define(result);
  checks::before_partition_access<flags, Masked, Shape>(part);
  if constexpr (!is_same_v<typename Span::element_type, typename Span::value_type const>)
    platform::note_load(part.origin);
  detail::load_elements<Masked>(part, Shape{}, access, result.slots, pad);
  checks::after_partition_access<flags>(part);
  return result;
}

/// Whether rows have no gaps and are long enough to be stored past the caches.
template <typename Access, typename Span, typename Shape>
inline constexpr bool can_stream = false;
template <typename Span, typename Shape>
  requires(Shape::rank() != 0 && platform::has_streaming_stores)
inline constexpr bool can_stream<plain_access, Span, Shape> =
    layout_mapping_static_stride<typename Span::mapping_type>{}(
        static_cast<typename Span::rank_type>(Shape::rank() - 1)) == 1 &&
    detail::length<Shape>(Shape::rank() - 1) * sizeof(typename Span::value_type) % 64 == 0;

/// Whether the span is large, with rows of whole cache lines, and this partition was not just loaded.
template <typename P>
CUDA_TILE_API bool is_worth_streaming(P const& part) {
  constexpr size_t size = sizeof(typename P::element);
  size_t steps = 0;
  for (size_t d = 0; d + 1 < P::rank; ++d)
    steps |= part.strides[d] * size;
  return platform::is_worth_streaming(part.origin, part.elements * size, steps) &&
         !platform::was_just_loaded(part.origin);
}

template <bool Masked, typename Access, typename Span, typename Shape>
CUDA_TILE_API void store_partition(Access access, partition<Span, Shape> const& part,
                                   partition_tile<Span, Shape> const& value) {
  checks::require_defined_inside<Masked, Shape>(part, value);
  checks::before_partition_access<checks::access_flags<Access, checks::writes>, Masked, Shape>(part);
  if constexpr (can_stream<Access, Span, Shape>)
    if ((!Masked || part.whole()) && detail::is_worth_streaming(part))
      return detail::store_rows<false, 0>(part, Shape{}, streaming_access{}, part.origin, value.slots);
  if (!Masked || part.whole())
    detail::store_rows<false, 0>(part, Shape{}, access, part.origin, value.slots);
  else
    detail::store_rows<true, 0>(part, Shape{}, access, part.origin, value.slots);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
