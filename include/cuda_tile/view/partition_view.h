// [2.12] partition_view: a tensor span divided into tiles, which are loaded and stored by their index.
#pragma once

#include "cuda_tile/checked/partition.h"
#include "cuda_tile/core/tensor_span.h"
#include "cuda_tile/tile/primitives.h"

namespace cuda::tiles::inline CUDA_TILE_ABI {
namespace detail {

/// [2.12.1] One index per dimension, each convertible to the view's index type.
template <typename View, typename... Idx>
concept partition_indices = sizeof...(Idx) == View::view_shape_type::rank() &&
                            (scalar_convertible_to<Idx, typename View::index_type> && ...);

/// [2.12.1] Padding other than zero requires a basic floating point element.
template <view_padding Pad, typename E>
concept padding_for = Pad == view_padding::zero || is_basic_floating_point_v<E>;

} // namespace detail

/// [2.12.1] Partition (i0, i1, …) holds the elements from (i0 * Shape0, i1 * Shape1, …) on. Where it extends
/// past the end of the span, masked accesses skip those elements, and unmasked accesses are undefined.
template <tensor_span_like Span, tile_shape Shape>
  requires(static_cast<size_t>(Shape::rank()) == static_cast<size_t>(Span::extents_type::rank()) &&
           !detail::is_volatile_v<typename Span::element_type>)
struct partition_view {
  using span_type = Span;
  using view_shape_type = Shape;
  using element_type = typename span_type::element_type;
  using value_type = typename span_type::value_type;
  using index_type = typename span_type::index_type;
  using rank_type = typename span_type::rank_type; // not in the manual, but in NVIDIA's header
  using view_tile_type = tile<value_type, view_shape_type>;

  __host__ __device__ constexpr partition_view(span_type span, view_shape_type) noexcept : span_{span} {}

  __host__ __device__ constexpr span_type const& span() const noexcept { return span_; }

  // loads

  template <typename... Idx>
    requires detail::partition_indices<partition_view, Idx...>
  CUDA_TILE_API view_tile_type load(Idx... idx) const noexcept {
    return detail::load_view(detail::plain_access{}, at(idx...));
  }

  template <view_padding Pad = default_view_padding(), typename... Idx>
    requires detail::partition_indices<partition_view, Idx...> && detail::padding_for<Pad, value_type>
  CUDA_TILE_API view_tile_type load_masked(view_padding_constant<Pad>, Idx... idx) const noexcept {
    return load_masked<Pad>(idx...);
  }
  template <view_padding Pad = default_view_padding(), typename... Idx>
    requires detail::partition_indices<partition_view, Idx...> && detail::padding_for<Pad, value_type>
  CUDA_TILE_API view_tile_type load_masked(Idx... idx) const noexcept {
    return detail::load_view_masked<Pad>(detail::plain_access{}, at(idx...));
  }

  template <memory_order Order, thread_scope Scope = default_thread_scope(), typename... Idx>
    requires read_memory_order<Order> && detail::partition_indices<partition_view, Idx...>
  CUDA_TILE_API view_tile_type atomic_load(Idx... idx) const noexcept {
    return detail::load_view(detail::atomic_access<Order, Scope>{}, at(idx...));
  }
  template <memory_order Order, thread_scope Scope = default_thread_scope(), typename... Idx>
    requires read_memory_order<Order> && detail::partition_indices<partition_view, Idx...>
  CUDA_TILE_API view_tile_type atomic_load(memory_order_constant<Order>, Idx... idx) const noexcept {
    return atomic_load<Order, Scope>(idx...);
  }
  template <memory_order Order, thread_scope Scope = default_thread_scope(), typename... Idx>
    requires read_memory_order<Order> && detail::partition_indices<partition_view, Idx...>
  CUDA_TILE_API view_tile_type atomic_load(memory_order_constant<Order>, thread_scope_constant<Scope>,
                                           Idx... idx) const noexcept {
    return atomic_load<Order, Scope>(idx...);
  }

  template <view_padding Pad = default_view_padding(), memory_order Order,
            thread_scope Scope = default_thread_scope(), typename... Idx>
    requires read_memory_order<Order> && detail::partition_indices<partition_view, Idx...> &&
             detail::padding_for<Pad, value_type>
  CUDA_TILE_API view_tile_type atomic_load_masked(Idx... idx) const noexcept {
    return detail::load_view_masked<Pad>(detail::atomic_access<Order, Scope>{}, at(idx...));
  }
  template <view_padding Pad = default_view_padding(), memory_order Order,
            thread_scope Scope = default_thread_scope(), typename... Idx>
    requires read_memory_order<Order> && detail::partition_indices<partition_view, Idx...> &&
             detail::padding_for<Pad, value_type>
  CUDA_TILE_API view_tile_type atomic_load_masked(view_padding_constant<Pad>, Idx... idx) const noexcept {
    return atomic_load_masked<Pad, Order, Scope>(idx...);
  }
  template <view_padding Pad = default_view_padding(), memory_order Order,
            thread_scope Scope = default_thread_scope(), typename... Idx>
    requires read_memory_order<Order> && detail::partition_indices<partition_view, Idx...> &&
             detail::padding_for<Pad, value_type>
  CUDA_TILE_API view_tile_type atomic_load_masked(view_padding_constant<Pad>, memory_order_constant<Order>,
                                                  Idx... idx) const noexcept {
    return atomic_load_masked<Pad, Order, Scope>(idx...);
  }
  template <view_padding Pad = default_view_padding(), memory_order Order,
            thread_scope Scope = default_thread_scope(), typename... Idx>
    requires read_memory_order<Order> && detail::partition_indices<partition_view, Idx...> &&
             detail::padding_for<Pad, value_type>
  CUDA_TILE_API view_tile_type atomic_load_masked(view_padding_constant<Pad>, memory_order_constant<Order>,
                                                  thread_scope_constant<Scope>, Idx... idx) const noexcept {
    return atomic_load_masked<Pad, Order, Scope>(idx...);
  }

  // stores

  template <tile_like Value, typename... Idx>
    requires detail::partition_indices<partition_view, Idx...> &&
             non_narrowing_tile_convertible_to<Value, view_tile_type> && storeable_tensor_span<span_type>
  CUDA_TILE_API void store(Value const& a, Idx... idx) const noexcept {
    detail::store_view(detail::plain_access{}, at(idx...), detail::converted_tile<view_tile_type>(a));
  }

  template <tile_like Value, typename... Idx>
    requires detail::partition_indices<partition_view, Idx...> &&
             non_narrowing_tile_convertible_to<Value, view_tile_type> && storeable_tensor_span<span_type>
  CUDA_TILE_API void store_masked(Value const& a, Idx... idx) const noexcept {
    detail::store_view_masked(detail::plain_access{}, at(idx...), detail::converted_tile<view_tile_type>(a));
  }

  template <memory_order Order, thread_scope Scope = default_thread_scope(), tile_like Value, typename... Idx>
    requires write_memory_order<Order> && detail::partition_indices<partition_view, Idx...> &&
             non_narrowing_tile_convertible_to<Value, view_tile_type> && storeable_tensor_span<span_type>
  CUDA_TILE_API void atomic_store(Value const& a, Idx... idx) const noexcept {
    detail::store_view(detail::atomic_access<Order, Scope>{}, at(idx...),
                       detail::converted_tile<view_tile_type>(a));
  }
  template <memory_order Order, thread_scope Scope = default_thread_scope(), tile_like Value, typename... Idx>
    requires write_memory_order<Order> && detail::partition_indices<partition_view, Idx...> &&
             non_narrowing_tile_convertible_to<Value, view_tile_type> && storeable_tensor_span<span_type>
  CUDA_TILE_API void atomic_store(Value const& a, memory_order_constant<Order>, Idx... idx) const noexcept {
    atomic_store<Order, Scope>(a, idx...);
  }
  template <memory_order Order, thread_scope Scope = default_thread_scope(), tile_like Value, typename... Idx>
    requires write_memory_order<Order> && detail::partition_indices<partition_view, Idx...> &&
             non_narrowing_tile_convertible_to<Value, view_tile_type> && storeable_tensor_span<span_type>
  CUDA_TILE_API void atomic_store(Value const& a, memory_order_constant<Order>, thread_scope_constant<Scope>,
                                  Idx... idx) const noexcept {
    atomic_store<Order, Scope>(a, idx...);
  }

  template <memory_order Order, thread_scope Scope = default_thread_scope(), tile_like Value, typename... Idx>
    requires write_memory_order<Order> && detail::partition_indices<partition_view, Idx...> &&
             non_narrowing_tile_convertible_to<Value, view_tile_type> && storeable_tensor_span<span_type>
  CUDA_TILE_API void atomic_store_masked(Value const& a, Idx... idx) const noexcept {
    detail::store_view_masked(detail::atomic_access<Order, Scope>{}, at(idx...),
                              detail::converted_tile<view_tile_type>(a));
  }
  template <memory_order Order, thread_scope Scope = default_thread_scope(), tile_like Value, typename... Idx>
    requires write_memory_order<Order> && detail::partition_indices<partition_view, Idx...> &&
             non_narrowing_tile_convertible_to<Value, view_tile_type> && storeable_tensor_span<span_type>
  CUDA_TILE_API void atomic_store_masked(Value const& a, memory_order_constant<Order>,
                                         Idx... idx) const noexcept {
    atomic_store_masked<Order, Scope>(a, idx...);
  }
  template <memory_order Order, thread_scope Scope = default_thread_scope(), tile_like Value, typename... Idx>
    requires write_memory_order<Order> && detail::partition_indices<partition_view, Idx...> &&
             non_narrowing_tile_convertible_to<Value, view_tile_type> && storeable_tensor_span<span_type>
  CUDA_TILE_API void atomic_store_masked(Value const& a, memory_order_constant<Order>,
                                         thread_scope_constant<Scope>, Idx... idx) const noexcept {
    atomic_store_masked<Order, Scope>(a, idx...);
  }

private:
  template <typename... Idx>
  CUDA_TILE_API detail::partition_index<Span, Shape> at(Idx... idx) const {
    checks::before_partition<Shape>(span_, idx...);
    return {span_, {static_cast<size_t>(detail::convert<index_type>(idx))...}};
  }

  span_type span_;
};

template <typename Span, typename Shape>
partition_view(Span, Shape) -> partition_view<Span, Shape>;

} // namespace cuda::tiles::inline CUDA_TILE_ABI
