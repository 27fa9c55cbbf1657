// Where the elements of a view's chunk are, as tiles of pointers: for accesses that no primitive has.
#pragma once

#include "cuda_tile/checked/partition.h"
#include "cuda_tile/core/tensor_span.h"
#include "cuda_tile/tile/primitives.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// As many dimensions as the span has.
template <typename T, typename Span>
concept rank_of_span = static_cast<size_t>(T::rank()) == static_cast<size_t>(Span::extents_type::rank());

template <typename E>
concept element_of_views = !is_volatile_v<E>;

/// [2.12.1] One index for each dimension, which Indexing allows there.
template <typename Indexing, typename Span, typename Shape, typename... Idx>
concept view_indices = sizeof...(Idx) == Shape::rank() && Indexing::template takes<Span, Shape, Idx...>();

/// Chunks that begin Steps apart along each dimension.
template <typename Steps>
struct stepping {
  /// Each index converts to the span's index type.
  template <typename Span, typename Shape, typename... Idx>
  CUDA_TILE_CONSTEXPR static bool takes() {
    return (scalar_convertible_to<Idx, typename Span::index_type> && ...);
  }
  template <typename Shape, typename Span, typename... Idx>
  CUDA_TILE_API static partition_index<Span, Shape, Steps> at(Span const& span, Idx... idx) {
    checks::before_partition<Steps>(span, idx...);
    return {span, {static_cast<size_t>(detail::convert<typename Span::index_type>(idx))...}};
  }
};

/// Calculates with the coordinates in the span of element i of a chunk; of dimension Dim they are given.
template <typename Span, typename Shape, size_t Dim = Shape::rank()>
struct chunk {
  using element = typename Span::element_type;
  static constexpr size_t rank = Shape::rank(), dims = rank == 0 ? 1 : rank;
  element* origin;
  size_t first[dims], extents[dims], strides[dims];

  template <typename First>
  CUDA_TILE_API chunk(Span const& span, First first_of) : origin{span.data_handle()} {
    CUDA_TILE_UNROLL
    for (size_t d = 0; d != rank; ++d) {
      first[d] = first_of(d);
      extents[d] = static_cast<size_t>(span.mapping().extents().extent(d));
      strides[d] = static_cast<size_t>(span.mapping().stride(d));
    }
  }

  template <size_t D, typename... Given>
  CUDA_TILE_API size_t coordinate(unsigned i, Given... given) const {
    if constexpr (D == Dim) {
      return (static_cast<size_t>(given), ...);
    } else {
      constexpr unsigned step = static_cast<unsigned>(length_product<Shape>(D + 1, rank));
      return first[D] + i / step % static_cast<unsigned>(length<Shape>(D));
    }
  }
  template <size_t... D, typename... Given>
  CUDA_TILE_API element* address(indices<D...>, unsigned i, Given... given) const {
    return origin + (size_t(0) + ... + (coordinate<D>(i, given...) * strides[D]));
  }
  template <size_t... D, typename... Given>
  CUDA_TILE_API bool is_inside(indices<D...>, unsigned i, Given... given) const {
    return (true & ... & (coordinate<D>(i, given...) < extents[D]));
  }
};

template <typename Span, typename Shape, typename Steps>
CUDA_TILE_API chunk<Span, Shape> chunk_at(partition_index<Span, Shape, Steps> const& place) {
  return {place.span, [&](size_t d) { return place.at[d] * length<Steps>(d); }};
}
template <typename Span, typename Shape, size_t Dim, typename T>
CUDA_TILE_API chunk<Span, Shape, Dim> chunk_at(gathered_index<Span, Shape, Dim, T> const& place) {
  return {place.span, [&](size_t d) { return place.first[d]; }};
}

/// f(chunk, number of the element, given coordinate if there is one) for each element of a chunk.
template <typename E, typename F, typename Span, typename Shape, typename Steps>
CUDA_TILE_API tile<E, Shape> map_chunk(F f, partition_index<Span, Shape, Steps> const& place) {
  auto const c = detail::chunk_at(place);
  return detail::map<tile<E, Shape>>([=](unsigned i) { return f(c, i); },
                                     detail::numbered<tile<unsigned, Shape>>());
}
template <typename E, typename F, typename Span, typename Shape, size_t Dim, typename T>
CUDA_TILE_API tile<E, Shape> map_chunk(F f, gathered_index<Span, Shape, Dim, T> const& place) {
  auto const c = detail::chunk_at(place);
  return detail::map<tile<E, Shape>>(
      [=](unsigned i, auto t) { return f(c, i, detail::convert<typename Span::index_type>(t)); },
      detail::numbered<tile<unsigned, Shape>>(), place.indices);
}

template <typename Place>
struct parts_of_place;
template <typename Span, typename Shape, typename Steps>
struct parts_of_place<partition_index<Span, Shape, Steps>> {
  using span = Span;
  using shape = Shape;
};
template <typename Span, typename Shape, size_t Dim, typename T>
struct parts_of_place<gathered_index<Span, Shape, Dim, T>> {
  using span = Span;
  using shape = Shape;
};

/// Pointers to the elements of a chunk, those beyond the span as well.
template <typename Place>
CUDA_TILE_API auto pointers_to(Place const& place) {
  using parts = parts_of_place<Place>;
  using dimensions = make_indices<parts::shape::rank()>;
  return detail::map_chunk<typename parts::span::element_type*>(
      [](auto const& c, auto... i) { return c.address(dimensions{}, i...); }, place);
}

/// Whether each element of a chunk lies in the span.
template <typename Place>
CUDA_TILE_API auto inside_of(Place const& place) {
  using dimensions = make_indices<parts_of_place<Place>::shape::rank()>;
  return detail::map_chunk<bool>([](auto const& c, auto... i) { return c.is_inside(dimensions{}, i...); },
                                 place);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail

namespace cuda::tiles::inline CUDA_TILE_ABI::checks {

/// Reports an element of a chunk that lies beyond the span.
template <typename Place>
CUDA_TILE_API void require_inside([[maybe_unused]] char const* function,
                                  [[maybe_unused]] Place const& place) {
#if CUDA_TILE_CHECKED
  using S = typename detail::parts_of_place<Place>::shape;
  auto const inside = detail::inside_of(place);
  for (unsigned s = 0; s < detail::distribution_of<S>::slots; ++s)
    if (!detail::operand_value(inside, s))
      return checks::report<S>(cuda_tile_unmasked_partition, function, position<S>(s));
#endif
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::checks
