// What all views of tensor spans have: their types, loads and stores of chunks by their indices.
#pragma once

#include "cuda_tile/view/gathered.h"

namespace cuda::tiles::inline CUDA_TILE_ABI {
namespace detail {

/// [2.12.1] Which paddings E has: zero unless it has none; of floating point types what the format has, but
/// fp4 only zero. Before 13.5 other than zero for basic floating point types alone.
template <view_padding Pad, typename E>
CUDA_TILE_CONSTEXPR bool has_padding() {
  if constexpr (Pad == view_padding::zero) {
    return has_zero_v<E>;
  } else if constexpr (!is_floating_point_v<E> ||
                       (CUDA_TILE_API_VERSION < 1305 && !is_basic_floating_point_v<E>)) {
    return false;
  } else {
    using traits = scalar_traits<E>;
    if constexpr (Pad == view_padding::negative_zero)
      return traits::has_sign && traits::beyond != beyond_finite::nothing;
    else if constexpr (Pad == view_padding::nan)
      return traits::beyond != beyond_finite::nothing;
    else
      return traits::beyond == beyond_finite::infinity;
  }
}
template <view_padding Pad, typename E>
concept padding_for = has_padding<Pad, E>();

/// A view of chunks of a span, with the members of all views. Indexing says which indices it takes and what
/// they mean (view/pointers.h).
template <typename Indexing, typename Span, typename Shape>
struct view_access {
  using span_type = Span;
  using view_shape_type = Shape;
  using element_type = typename span_type::element_type;
  using value_type = typename span_type::value_type;
  using index_type = typename span_type::index_type;
  using rank_type = typename span_type::rank_type; // not in the manual, but in NVIDIA's header
  using view_tile_type = tile<value_type, view_shape_type>;

  __host__ __device__ constexpr span_type const& span() const noexcept { return span_; }

  // loads

  template <typename... Idx>
    requires view_indices<Indexing, Span, Shape, Idx...>
  CUDA_TILE_API view_tile_type load(Idx... idx) const noexcept {
    return detail::load_view(plain_access{}, Indexing::template at<Shape>(span_, idx...));
  }

  template <view_padding Pad = default_view_padding(), typename... Idx>
    requires view_indices<Indexing, Span, Shape, Idx...> && padding_for<Pad, value_type>
  CUDA_TILE_API view_tile_type load_masked(view_padding_constant<Pad>, Idx... idx) const noexcept {
    return load_masked<Pad>(idx...);
  }
  template <view_padding Pad = default_view_padding(), typename... Idx>
    requires view_indices<Indexing, Span, Shape, Idx...> && padding_for<Pad, value_type>
  CUDA_TILE_API view_tile_type load_masked(Idx... idx) const noexcept {
    return detail::load_view_masked<Pad>(plain_access{}, Indexing::template at<Shape>(span_, idx...));
  }

  template <memory_order Order, thread_scope Scope = default_thread_scope(), typename... Idx>
    requires read_memory_order<Order> && view_indices<Indexing, Span, Shape, Idx...>
  CUDA_TILE_API view_tile_type atomic_load(Idx... idx) const noexcept {
    return detail::load_view(atomic_access<Order, Scope>{}, Indexing::template at<Shape>(span_, idx...));
  }
  template <memory_order Order, thread_scope Scope = default_thread_scope(), typename... Idx>
    requires read_memory_order<Order> && view_indices<Indexing, Span, Shape, Idx...>
  CUDA_TILE_API view_tile_type atomic_load(memory_order_constant<Order>, Idx... idx) const noexcept {
    return atomic_load<Order, Scope>(idx...);
  }
  template <memory_order Order, thread_scope Scope = default_thread_scope(), typename... Idx>
    requires read_memory_order<Order> && view_indices<Indexing, Span, Shape, Idx...>
  CUDA_TILE_API view_tile_type atomic_load(memory_order_constant<Order>, thread_scope_constant<Scope>,
                                           Idx... idx) const noexcept {
    return atomic_load<Order, Scope>(idx...);
  }

  template <view_padding Pad = default_view_padding(), memory_order Order,
            thread_scope Scope = default_thread_scope(), typename... Idx>
    requires read_memory_order<Order> && view_indices<Indexing, Span, Shape, Idx...> &&
             padding_for<Pad, value_type>
  CUDA_TILE_API view_tile_type atomic_load_masked(Idx... idx) const noexcept {
    return detail::load_view_masked<Pad>(atomic_access<Order, Scope>{},
                                         Indexing::template at<Shape>(span_, idx...));
  }
  template <view_padding Pad = default_view_padding(), memory_order Order,
            thread_scope Scope = default_thread_scope(), typename... Idx>
    requires read_memory_order<Order> && view_indices<Indexing, Span, Shape, Idx...> &&
             padding_for<Pad, value_type>
  CUDA_TILE_API view_tile_type atomic_load_masked(view_padding_constant<Pad>, Idx... idx) const noexcept {
    return atomic_load_masked<Pad, Order, Scope>(idx...);
  }
  template <view_padding Pad = default_view_padding(), memory_order Order,
            thread_scope Scope = default_thread_scope(), typename... Idx>
    requires read_memory_order<Order> && view_indices<Indexing, Span, Shape, Idx...> &&
             padding_for<Pad, value_type>
  CUDA_TILE_API view_tile_type atomic_load_masked(view_padding_constant<Pad>, memory_order_constant<Order>,
                                                  Idx... idx) const noexcept {
    return atomic_load_masked<Pad, Order, Scope>(idx...);
  }
  template <view_padding Pad = default_view_padding(), memory_order Order,
            thread_scope Scope = default_thread_scope(), typename... Idx>
    requires read_memory_order<Order> && view_indices<Indexing, Span, Shape, Idx...> &&
             padding_for<Pad, value_type>
  CUDA_TILE_API view_tile_type atomic_load_masked(view_padding_constant<Pad>, memory_order_constant<Order>,
                                                  thread_scope_constant<Scope>, Idx... idx) const noexcept {
    return atomic_load_masked<Pad, Order, Scope>(idx...);
  }

  // stores

  template <tile_like Value, typename... Idx>
    requires view_indices<Indexing, Span, Shape, Idx...> &&
             non_narrowing_tile_convertible_to<Value, view_tile_type> && storeable_tensor_span<span_type>
  CUDA_TILE_API void store(Value const& a, Idx... idx) const noexcept {
    detail::store_view(plain_access{}, Indexing::template at<Shape>(span_, idx...),
                       detail::converted_tile<view_tile_type>(a));
  }

  template <tile_like Value, typename... Idx>
    requires view_indices<Indexing, Span, Shape, Idx...> &&
             non_narrowing_tile_convertible_to<Value, view_tile_type> && storeable_tensor_span<span_type>
  CUDA_TILE_API void store_masked(Value const& a, Idx... idx) const noexcept {
    detail::store_view_masked(plain_access{}, Indexing::template at<Shape>(span_, idx...),
                              detail::converted_tile<view_tile_type>(a));
  }

  template <memory_order Order, thread_scope Scope = default_thread_scope(), tile_like Value, typename... Idx>
    requires write_memory_order<Order> && view_indices<Indexing, Span, Shape, Idx...> &&
             non_narrowing_tile_convertible_to<Value, view_tile_type> && storeable_tensor_span<span_type>
  CUDA_TILE_API void atomic_store(Value const& a, Idx... idx) const noexcept {
    detail::store_view(atomic_access<Order, Scope>{}, Indexing::template at<Shape>(span_, idx...),
                       detail::converted_tile<view_tile_type>(a));
  }
  template <memory_order Order, thread_scope Scope = default_thread_scope(), tile_like Value, typename... Idx>
    requires write_memory_order<Order> && view_indices<Indexing, Span, Shape, Idx...> &&
             non_narrowing_tile_convertible_to<Value, view_tile_type> && storeable_tensor_span<span_type>
  CUDA_TILE_API void atomic_store(Value const& a, memory_order_constant<Order>, Idx... idx) const noexcept {
    atomic_store<Order, Scope>(a, idx...);
  }
  template <memory_order Order, thread_scope Scope = default_thread_scope(), tile_like Value, typename... Idx>
    requires write_memory_order<Order> && view_indices<Indexing, Span, Shape, Idx...> &&
             non_narrowing_tile_convertible_to<Value, view_tile_type> && storeable_tensor_span<span_type>
  CUDA_TILE_API void atomic_store(Value const& a, memory_order_constant<Order>, thread_scope_constant<Scope>,
                                  Idx... idx) const noexcept {
    atomic_store<Order, Scope>(a, idx...);
  }

  template <memory_order Order, thread_scope Scope = default_thread_scope(), tile_like Value, typename... Idx>
    requires write_memory_order<Order> && view_indices<Indexing, Span, Shape, Idx...> &&
             non_narrowing_tile_convertible_to<Value, view_tile_type> && storeable_tensor_span<span_type>
  CUDA_TILE_API void atomic_store_masked(Value const& a, Idx... idx) const noexcept {
    detail::store_view_masked(atomic_access<Order, Scope>{}, Indexing::template at<Shape>(span_, idx...),
                              detail::converted_tile<view_tile_type>(a));
  }
  template <memory_order Order, thread_scope Scope = default_thread_scope(), tile_like Value, typename... Idx>
    requires write_memory_order<Order> && view_indices<Indexing, Span, Shape, Idx...> &&
             non_narrowing_tile_convertible_to<Value, view_tile_type> && storeable_tensor_span<span_type>
  CUDA_TILE_API void atomic_store_masked(Value const& a, memory_order_constant<Order>,
                                         Idx... idx) const noexcept {
    atomic_store_masked<Order, Scope>(a, idx...);
  }
  template <memory_order Order, thread_scope Scope = default_thread_scope(), tile_like Value, typename... Idx>
    requires write_memory_order<Order> && view_indices<Indexing, Span, Shape, Idx...> &&
             non_narrowing_tile_convertible_to<Value, view_tile_type> && storeable_tensor_span<span_type>
  CUDA_TILE_API void atomic_store_masked(Value const& a, memory_order_constant<Order>,
                                         thread_scope_constant<Scope>, Idx... idx) const noexcept {
    atomic_store_masked<Order, Scope>(a, idx...);
  }

protected:
  __host__ __device__ explicit constexpr view_access(span_type span) noexcept : span_{span} {}

private:
  span_type span_;
};

} // namespace detail
} // namespace cuda::tiles::inline CUDA_TILE_ABI
