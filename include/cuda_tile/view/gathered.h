// Loads and stores of chunks whose places along one dimension a tile names: by pointers to the elements.
#pragma once

#include "cuda_tile/ops/memory.h"
#include "cuda_tile/view/pointers.h"

namespace cuda::tiles::inline CUDA_TILE_ABI {
namespace detail {

/// Chunks that a tile of indices names along dimension Dim, and the element where they begin along others.
template <size_t Dim>
struct gathering {
  template <typename S>
  struct along { // lengths of the indices, broadcast to a chunk
    CUDA_TILE_CONSTEXPR static size_t at(size_t d) { return d == Dim ? length<S>(d) : 1; }
  };
  template <typename Span, typename Shape, size_t D, typename T>
  CUDA_TILE_CONSTEXPR static bool takes_at() {
    using I = typename Span::index_type;
    if constexpr (D != Dim)
      return scalar_convertible_to<T, I>;
    else if constexpr (!tile_like<T>)
      return false;
    else
      return !scalar<T> && same_shape<tile_shape_t<T>, tiles::shape<length<Shape>(D)>> &&
             scalar_convertible_to<tile_element_t<T>, I>;
  }
  template <typename Span, typename Shape, typename... Idx, size_t... D>
  CUDA_TILE_CONSTEXPR static bool takes_all(indices<D...>) {
    return (takes_at<Span, Shape, D, Idx>() && ...);
  }
  template <typename Span, typename Shape, typename... Idx>
  CUDA_TILE_CONSTEXPR static bool takes() {
    return takes_all<Span, Shape, Idx...>(make_indices<sizeof...(Idx)>{});
  }

  /// The tile among the indices.
  template <typename... Idx>
  CUDA_TILE_API static auto const& tile_of(Idx const&... idx) {
    return argument_at<Dim>(idx...);
  }
  template <size_t N, typename T, typename... Idx>
  CUDA_TILE_API static auto const& argument_at(T const& x, [[maybe_unused]] Idx const&... idx) {
    if constexpr (N == 0)
      return x;
    else
      return argument_at<N - 1>(idx...);
  }
  template <typename I, typename T>
  CUDA_TILE_API static size_t first_of(T const& x) {
    if constexpr (scalar<T>)
      return static_cast<size_t>(detail::convert<I>(x));
    else
      return 0;
  }

  template <typename Shape, typename Span, typename... Idx>
  CUDA_TILE_API static auto at(Span const& span, Idx const&... idx) {
    checks::require_injective(span);
    [[maybe_unused]] size_t d = 0;
    (checks::before_gathering(span, d++, idx), ...);
    return at_tile<Shape>(span, tile_of(idx...), idx...);
  }
  template <typename Shape, typename Span, typename T, typename... Idx>
  CUDA_TILE_API static auto at_tile(Span const& span, T const& given, Idx const&... idx) {
    using I = typename Span::index_type;
    using R = tile<tile_element_t<T>, make_shape<along<Shape>, Shape::rank()>>;
    return gathered_index<Span, Shape, Dim, R>{span, {first_of<I>(idx)...}, detail::reshape<R>(given)};
  }
};

#if CUDA_TILE_COMPOSED
// Loads and stores of such chunks, as those of partitions (tile/primitives.h).

template <typename Span, typename Shape, size_t Dim, typename T>
CUDA_TILE_API partition_tile<Span, Shape> load_view(plain_access,
                                                    gathered_index<Span, Shape, Dim, T> const& from) {
  checks::require_inside("a load of a view", from);
  return tiles::load(detail::pointers_to(from));
}
template <memory_order Order, thread_scope Scope, typename Span, typename Shape, size_t Dim, typename T>
CUDA_TILE_API partition_tile<Span, Shape> load_view(atomic_access<Order, Scope> access,
                                                    gathered_index<Span, Shape, Dim, T> const& from) {
  checks::require_inside("a load of a view", from);
  return detail::load_atomically(access, detail::pointers_to(from), true, 0);
}
template <view_padding Padding, typename Span, typename Shape, size_t Dim, typename T>
CUDA_TILE_API partition_tile<Span, Shape> load_view_masked(plain_access,
                                                           gathered_index<Span, Shape, Dim, T> const& from) {
  return tiles::load_masked(detail::pointers_to(from), detail::inside_of(from),
                            detail::padding_value<Padding, typename Span::value_type>());
}
template <view_padding Padding, memory_order Order, thread_scope Scope, typename Span, typename Shape,
          size_t Dim, typename T>
CUDA_TILE_API partition_tile<Span, Shape> load_view_masked(atomic_access<Order, Scope> access,
                                                           gathered_index<Span, Shape, Dim, T> const& from) {
  return detail::load_atomically(access, detail::pointers_to(from), detail::inside_of(from),
                                 detail::padding_value<Padding, typename Span::value_type>());
}

template <typename Span, typename Shape, size_t Dim, typename T>
CUDA_TILE_API void store_view(plain_access, gathered_index<Span, Shape, Dim, T> const& to,
                              partition_tile<Span, Shape> const& value) {
  checks::require_inside("a store to a view", to);
  tiles::store(detail::pointers_to(to), value);
}
template <memory_order Order, thread_scope Scope, typename Span, typename Shape, size_t Dim, typename T>
CUDA_TILE_API void store_view(atomic_access<Order, Scope>, gathered_index<Span, Shape, Dim, T> const& to,
                              partition_tile<Span, Shape> const& value) {
  checks::require_inside("a store to a view", to);
  tiles::atomic_store<Order, Scope>(detail::pointers_to(to), value);
}
template <typename Span, typename Shape, size_t Dim, typename T>
CUDA_TILE_API void store_view_masked(plain_access, gathered_index<Span, Shape, Dim, T> const& to,
                                     partition_tile<Span, Shape> const& value) {
  tiles::store_masked(detail::pointers_to(to), value, detail::inside_of(to));
}
template <memory_order Order, thread_scope Scope, typename Span, typename Shape, size_t Dim, typename T>
CUDA_TILE_API void store_view_masked(atomic_access<Order, Scope>,
                                     gathered_index<Span, Shape, Dim, T> const& to,
                                     partition_tile<Span, Shape> const& value) {
  tiles::atomic_store_masked<Order, Scope>(detail::pointers_to(to), value, detail::inside_of(to));
}
#endif

} // namespace detail

} // namespace cuda::tiles::inline CUDA_TILE_ABI
