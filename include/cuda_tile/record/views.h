// Views in record mode.
#pragma once

#include "cuda_tile/record/memory.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {
namespace back_end {

/// Of a place in a span: the tile that is there, and what tells chunks apart, the steps between them or the
/// dimension along which their places are given.
template <typename Place>
struct parts_of;
template <typename Span, typename Shape, typename Steps>
struct parts_of<partition_index<Span, Shape, Steps>> {
  using span = Span;
  using tile = partition_tile<Span, Shape>;
  using chunks = typename described<tile_element_t<tile>, Steps>::type;
  using dimensions = make_indices<Shape::rank()>;
};
template <typename Span, typename Shape, size_t Dim, typename T>
struct parts_of<gathered_index<Span, Shape, Dim, T>> {
  using span = Span;
  using tile = partition_tile<Span, Shape>;
  using chunks = record::gathered<static_cast<unsigned>(Dim)>;
  using dimensions = make_indices<Shape::rank()>;
};
template <typename Place>
using tile_at = typename parts_of<Place>::tile;

/// The index along dimension D: a number, or a tile of numbers.
template <size_t D, typename Span, typename Shape, typename Steps>
CUDA_TILE_API auto index_along(partition_index<Span, Shape, Steps> const& place) {
  return +static_cast<typename Span::index_type>(place.at[D]);
}
template <size_t D, typename Span, typename Shape, size_t Dim, typename T>
CUDA_TILE_API auto index_along(gathered_index<Span, Shape, Dim, T> const& place) {
  using I = typename Span::index_type;
  if constexpr (D != Dim) {
    return +static_cast<I>(place.first[D]);
  } else {
    using S = tiles::shape<length<Shape>(D)>;
    auto const given = detail::reshape<tile<tile_element_t<T>, S>>(place.indices);
    tile<I, S> converted;
    converted.handle = back_end::handle_as<tile<I, S>>(given);
    return back_end::handle_as<tile<decltype(+I{}), S>>(converted);
  }
}

/// Calls Operation with address, indices, extents and strides. Narrow ones are promoted, as their sign tells;
/// extents and strides that are constants become static ones.
template <typename Operation, typename R, typename Place, size_t... D, typename... Value>
CUDA_TILE_API R access_view(Place const& place, indices<D...>, Value... value) {
  using I = typename parts_of<Place>::span::index_type;
  auto const& mapping = place.span.mapping();
  return record::effect<Operation, R>(place.span.data_handle(), back_end::index_along<D>(place)...,
                                      +mapping.extents().extent(D)..., +static_cast<I>(mapping.stride(D))...,
                                      value...);
}

template <template <typename, typename, int, int, int> typename Operation, int Padding, typename Access,
          typename Place>
using accessing_view = Operation<described_t<tile_at<Place>>, typename parts_of<Place>::chunks, Padding,
                                 access_numbers<Access>::order, access_numbers<Access>::scope>;
template <int Padding, typename Access, typename Place>
CUDA_TILE_API tile_at<Place> load_through(Place const& place) {
  tile_at<Place> result;
  result.handle =
      back_end::access_view<accessing_view<record::load_view, Padding, Access, Place>, record::handle>(
          place, typename parts_of<Place>::dimensions{});
  return result;
}
template <int Padding, typename Access, typename Place>
CUDA_TILE_API void store_through(Place const& place, tile_at<Place> const& value) {
  back_end::access_view<accessing_view<record::store_view, Padding, Access, Place>, void>(
      place, typename parts_of<Place>::dimensions{}, value.handle);
}

} // namespace back_end

// The same for both kinds of places.
#define CUDA_TILE_ACCESSES(place, ...)                                                                       \
  template <typename Access, __VA_ARGS__>                                                                    \
  CUDA_TILE_API partition_tile<Span, Shape> load_view(Access, place const& from) {                           \
    return back_end::load_through<-1, Access>(from);                                                         \
  }                                                                                                          \
  template <view_padding Padding, typename Access, __VA_ARGS__>                                              \
  CUDA_TILE_API partition_tile<Span, Shape> load_view_masked(Access, place const& from) {                    \
    return back_end::load_through<static_cast<int>(Padding), Access>(from);                                  \
  }                                                                                                          \
  template <typename Access, __VA_ARGS__>                                                                    \
  CUDA_TILE_API void store_view(Access, place const& to, partition_tile<Span, Shape> const& value) {         \
    back_end::store_through<-1, Access>(to, value);                                                          \
  }                                                                                                          \
  template <typename Access, __VA_ARGS__>                                                                    \
  CUDA_TILE_API void store_view_masked(Access, place const& to, partition_tile<Span, Shape> const& value) {  \
    back_end::store_through<0, Access>(to, value);                                                           \
  }
#define CUDA_TILE_PARTITION partition_index<Span, Shape, Steps>
#define CUDA_TILE_GATHERED gathered_index<Span, Shape, Dim, T>
CUDA_TILE_ACCESSES(CUDA_TILE_PARTITION, typename Span, typename Shape, typename Steps)
#if !CUDA_TILE_COMPOSED
CUDA_TILE_ACCESSES(CUDA_TILE_GATHERED, typename Span, typename Shape, size_t Dim, typename T)
#endif
#undef CUDA_TILE_GATHERED
#undef CUDA_TILE_PARTITION
#undef CUDA_TILE_ACCESSES

#if !CUDA_TILE_COMPOSED
template <memory_order Order, thread_scope Scope, bool Masked, typename Function, typename Place, typename T>
CUDA_TILE_API void update_view(memory_function<Function>, Place const& place, T const& value) {
  using operation = back_end::record::update_view<back_end::described_t<back_end::tile_at<Place>>,
                                                  typename back_end::parts_of<Place>::chunks,
                                                  typename back_end::name_of<Function>::type, Masked ? 0 : -1,
                                                  static_cast<int>(Order), static_cast<int>(Scope)>;
  back_end::access_view<operation, void>(place, typename back_end::parts_of<Place>::dimensions{},
                                         back_end::handle_as<back_end::tile_at<Place>>(value));
}
#endif

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
