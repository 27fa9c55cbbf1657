// [2.7.4] Loads and [2.7.5] stores through tiles of pointers. Pointers are taken by value, so that arrays
// decay.
#pragma once

#include "cuda_tile/core/elements.h"
#include "cuda_tile/ops/memory_access.h"
#if !CUDA_TILE_ON_CUDA && CUDA_TILE_BLOCK_THREADS == 1
#include "cuda_tile/ops/memory_rows.h"
#else
#include "cuda_tile/ops/memory_vectors.h"
#endif

namespace cuda::tiles::inline CUDA_TILE_ABI {
namespace detail {

/// *ptrs where the mask is true, else the padding.
template <typename E, typename Ptrs, typename Mask, typename Padding>
CUDA_TILE_API tile_load_t<Ptrs> load_where(Ptrs const& ptrs, Mask const& mask, Padding const& padding) {
  using R = tile_load_t<Ptrs>;
#if CUDA_TILE_ON_CUDA || CUDA_TILE_BLOCK_THREADS > 1
  if constexpr (!scalar<Ptrs>) {
    using S = tile_shape_t<Ptrs>;
    return detail::load_slots<R>(detail::normal(ptrs), detail::aligned_operand<S>(mask),
                                 detail::aligned_operand<S>(padding));
  }
#endif
  return detail::map<R>(
      [](auto p, auto m, auto pad) { return detail::convert<bool>(m) ? *p : detail::convert<E>(pad); }, ptrs,
      mask, padding);
}

/// *ptrs = value where the mask is true.
template <typename Ptrs, typename Value, typename Mask>
CUDA_TILE_API void store_where(Ptrs const& ptrs, Value const& value, Mask const& mask) {
  using E = tile_element_t<tile_load_t<Ptrs>>;
#if CUDA_TILE_ON_CUDA || CUDA_TILE_BLOCK_THREADS > 1
  if constexpr (!scalar<Ptrs>) {
    using S = tile_shape_t<Ptrs>;
    return detail::store_slots(detail::normal(ptrs), detail::aligned_operand<S>(value),
                               detail::aligned_operand<S>(mask));
  }
#endif
  detail::for_each_location(
      [](unsigned, auto p, auto v, auto m) {
        if (detail::convert<bool>(m))
          *p = detail::convert<E>(v);
      },
      ptrs, value, mask);
}

} // namespace detail

/// [2.7.4] The values that ptrs point to.
template <loadable_tile Tile>
CUDA_TILE_API tile_load_t<Tile> load(Tile ptrs) noexcept {
  checks::before_access<checks::reads>("load", ptrs, true);
#if !CUDA_TILE_ON_CUDA && CUDA_TILE_BLOCK_THREADS == 1
  if constexpr (!scalar<Tile>)
    return detail::load_by_runs<tile_load_t<Tile>>(ptrs);
#else
  if constexpr (!scalar<Tile>)
    return detail::load_slots<tile_load_t<Tile>>(detail::normal(ptrs), true,
                                                 tile_element_t<tile_load_t<Tile>>{});
#endif
  return detail::map<tile_load_t<Tile>>([](auto p) { return *p; }, ptrs);
}

/// [2.7.4] Where the mask is false, nothing is read and the padding is the result.
template <loadable_tile Tile, bool_tile_convertible Mask, tile_like Padding>
  requires broadcastable_to<Mask, tile_shape_t<Tile>> && broadcastable_to<Padding, tile_shape_t<Tile>> &&
           scalar_convertible_to<tile_element_t<Padding>, tile_element_t<tile_load_t<Tile>>>
CUDA_TILE_API tile_load_t<Tile> load_masked(Tile ptrs, Mask const& mask, Padding const& padding) noexcept {
  using E = tile_element_t<tile_load_t<Tile>>;
  checks::before_access<checks::reads>("load_masked", ptrs, mask);
  checks::before_conversion<E>(padding);
  auto result = detail::load_where<E>(ptrs, mask, padding);
  checks::after_choice(result, mask, true, padding);
  return result;
}

/// [2.7.4] Where the mask is false the result is unspecified; it is zero here.
template <loadable_tile Tile, bool_tile_convertible Mask>
  requires broadcastable_to<Mask, tile_shape_t<Tile>>
CUDA_TILE_API tile_load_t<Tile> load_masked(Tile ptrs, Mask const& mask) noexcept {
  using E = tile_element_t<tile_load_t<Tile>>;
  checks::before_access<checks::reads>("load_masked", ptrs, mask);
  auto result = detail::load_where<E>(ptrs, mask, 0);
  checks::after_masked_load(result, mask);
  return result;
}

namespace detail {

/// Strong reads where the mask is true, else the padding; one value an element in the whole block.
template <memory_order Order, thread_scope Scope, typename Tile, typename Mask, typename Padding>
CUDA_TILE_API tile_load_t<Tile> load_atomically(Tile const& ptrs, Mask const& mask, Padding const& padding) {
  using E = tile_element_t<tile_load_t<Tile>>;
  using R = tile<E, tile_shape_t<Tile>>;
  constexpr unsigned flags = checks::atomic_flags<checks::reads, Order, Scope>;
  checks::before_access<flags>("atomic_load", ptrs, mask);
  checks::before_conversion<E>(padding);
  R result = detail::normal(detail::map<R>([](auto pad) { return detail::convert<E>(pad); }, padding));
  detail::for_each_location(
      [&result](unsigned s, auto p, auto m) {
        if (detail::convert<bool>(m))
          result.slots[s] = platform::atomic_load<static_cast<int>(Order), static_cast<int>(Scope)>(p);
      },
      ptrs, mask);
  checks::after_access<flags>(ptrs, mask);
  return static_cast<tile_load_t<Tile>>(detail::shared_value(result));
}

} // namespace detail

template <memory_order Order, thread_scope Scope = default_thread_scope(), loadable_tile Tile>
  requires read_memory_order<Order>
CUDA_TILE_API tile_load_t<Tile> atomic_load(Tile ptrs, memory_order_constant<Order> = {},
                                            thread_scope_constant<Scope> = {}) noexcept {
  return detail::load_atomically<Order, Scope>(ptrs, true, 0);
}

template <memory_order Order, thread_scope Scope = default_thread_scope(), loadable_tile Tile,
          bool_tile_convertible Mask>
  requires(broadcastable_to<Mask, tile_shape_t<Tile>> && read_memory_order<Order>)
CUDA_TILE_API tile_load_t<Tile> atomic_load_masked(Tile ptrs, Mask const& mask,
                                                   memory_order_constant<Order> = {},
                                                   thread_scope_constant<Scope> = {}) noexcept {
  auto result = detail::load_atomically<Order, Scope>(ptrs, mask, 0);
  checks::after_masked_load(result, mask);
  return result;
}

template <memory_order Order, thread_scope Scope = default_thread_scope(), loadable_tile Tile,
          bool_tile_convertible Mask, tile_like Padding>
  requires broadcastable_to<Mask, tile_shape_t<Tile>> && broadcastable_to<Padding, tile_shape_t<Tile>> &&
           read_memory_order<Order> &&
           scalar_convertible_to<tile_element_t<Padding>, tile_element_t<tile_load_t<Tile>>>
CUDA_TILE_API tile_load_t<Tile> atomic_load_masked(Tile ptrs, Mask const& mask, Padding const& padding,
                                                   memory_order_constant<Order> = {},
                                                   thread_scope_constant<Scope> = {}) noexcept {
  return detail::load_atomically<Order, Scope>(ptrs, mask, padding);
}

/// [2.7.5]
template <storeable_tile Ptrs, non_narrowing_tile_convertible_to<tile_load_t<Ptrs>> Value>
CUDA_TILE_API void store(Ptrs ptrs, Value const& value) noexcept {
  checks::before_write<tile_shape_t<Ptrs>>("store", value, true);
  checks::before_access<checks::writes>("store", ptrs, true);
  detail::store_where(ptrs, value, true);
}

/// [2.7.5] Nothing is stored where the mask is false.
template <storeable_tile Ptrs, non_narrowing_tile_convertible_to<tile_load_t<Ptrs>> Value,
          bool_tile_convertible Mask>
  requires broadcastable_to<Mask, tile_shape_t<Ptrs>>
CUDA_TILE_API void store_masked(Ptrs ptrs, Value const& value, Mask const& mask) noexcept {
  checks::before_write<tile_shape_t<Ptrs>>("store_masked", value, mask);
  checks::before_access<checks::writes>("store_masked", ptrs, mask);
  detail::store_where(ptrs, value, mask);
}

template <memory_order Order, thread_scope Scope = default_thread_scope(), storeable_tile Ptrs,
          non_narrowing_tile_convertible_to<tile_load_t<Ptrs>> Value, bool_tile_convertible Mask>
  requires broadcastable_to<Mask, tile_shape_t<Ptrs>> && write_memory_order<Order>
CUDA_TILE_API void atomic_store_masked(Ptrs ptrs, Value const& value, Mask const& mask,
                                       memory_order_constant<Order> = {},
                                       thread_scope_constant<Scope> = {}) noexcept {
  using E = tile_element_t<tile_load_t<Ptrs>>;
  checks::before_write<tile_shape_t<Ptrs>>("atomic_store", value, mask);
  checks::before_access<checks::atomic_flags<checks::writes, Order, Scope>>("atomic_store", ptrs, mask);
  detail::for_each_location(
      [](unsigned, auto p, auto v, auto m) {
        if (detail::convert<bool>(m))
          platform::atomic_store<static_cast<int>(Order), static_cast<int>(Scope)>(p, detail::convert<E>(v));
      },
      ptrs, value, mask);
}

template <memory_order Order, thread_scope Scope = default_thread_scope(), storeable_tile Ptrs,
          non_narrowing_tile_convertible_to<tile_load_t<Ptrs>> Value>
  requires write_memory_order<Order>
CUDA_TILE_API void atomic_store(Ptrs ptrs, Value const& value, memory_order_constant<Order> = {},
                                thread_scope_constant<Scope> = {}) noexcept {
  atomic_store_masked<Order, Scope>(ptrs, value, true);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI
