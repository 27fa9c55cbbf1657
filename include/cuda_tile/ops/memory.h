// [2.7.1] to [2.7.5] Loads and stores through tiles of pointers, which are passed by value so that arrays
// decay.
#pragma once

#include "cuda_tile/checked/access.h"
#include "cuda_tile/tile/primitives.h"

namespace cuda::tiles::inline CUDA_TILE_ABI {
namespace detail {

template <typename T>
using pointee_t = remove_pointer_t<tile_element_t<T>>;

} // namespace detail

/// [2.7.1] Pointer tiles that can be loaded from.
template <typename T>
concept loadable_tile =
    pointer_tile<T> && !detail::is_same_v<detail::remove_cv_t<detail::pointee_t<T>>, void> &&
    !detail::is_volatile_v<detail::pointee_t<T>>;

/// [2.7.2] Pointer tiles that can be stored to.
template <typename T>
concept storeable_tile = loadable_tile<T> && !detail::is_const_v<detail::pointee_t<T>>;

/// [2.7.3] The type that a load from T yields.
template <loadable_tile T>
using tile_load_t = tile_with_element_t<T, detail::remove_cv_t<detail::pointee_t<T>>>;

namespace detail {

template <typename Tile>
CUDA_TILE_API tile_load_t<Tile> load_checked(Tile const& ptrs) {
  checks::before_access<checks::reads>("load", ptrs, true);
  return detail::load<tile_load_t<Tile>>(ptrs);
}
template <typename Tile, typename Mask, typename Padding>
CUDA_TILE_API tile_load_t<Tile> load_padded(Tile const& ptrs, Mask const& mask, Padding const& padding) {
  using E = tile_element_t<tile_load_t<Tile>>;
  checks::before_access<checks::reads>("load_masked", ptrs, mask);
  checks::before_conversion<E>(padding);
  auto result = detail::load_masked<tile_load_t<Tile>>(detail::plain_access{}, ptrs, mask, padding);
  checks::after_choice(result, mask, true, padding);
  return result;
}
template <typename Tile, typename Mask>
CUDA_TILE_API tile_load_t<Tile> load_existing(Tile const& ptrs, Mask const& mask) {
  checks::before_access<checks::reads>("load_masked", ptrs, mask);
  auto result = detail::load_masked<tile_load_t<Tile>>(detail::plain_access{}, ptrs, mask, 0);
  checks::after_masked_load(result, mask);
  return result;
}

/// Tiles are passed by reference, since compilers would copy them. The manual's parameters are values, to
/// which arrays convert.
template <typename Tile>
concept loadable_scalar = loadable_tile<Tile> && scalar<Tile>;
template <typename Tile>
concept loadable_large_tile = loadable_tile<Tile> && !scalar<Tile>;

} // namespace detail

/// [2.7.4] The values that ptrs point to.
template <detail::loadable_scalar Tile>
CUDA_TILE_API tile_load_t<Tile> load(Tile ptrs) noexcept {
  return detail::load_checked(ptrs);
}
template <detail::loadable_large_tile Tile>
CUDA_TILE_API tile_load_t<Tile> load(Tile const& ptrs) noexcept {
  return detail::load_checked(ptrs);
}

/// [2.7.4] Where the mask is false, nothing is read and the padding is the result.
template <detail::loadable_scalar Tile, bool_tile_convertible Mask, tile_like Padding>
  requires broadcastable_to<Mask, tile_shape_t<Tile>> && broadcastable_to<Padding, tile_shape_t<Tile>> &&
           scalar_convertible_to<tile_element_t<Padding>, tile_element_t<tile_load_t<Tile>>>
CUDA_TILE_API tile_load_t<Tile> load_masked(Tile ptrs, Mask const& mask, Padding const& padding) noexcept {
  return detail::load_padded(ptrs, mask, padding);
}
template <detail::loadable_large_tile Tile, bool_tile_convertible Mask, tile_like Padding>
  requires broadcastable_to<Mask, tile_shape_t<Tile>> && broadcastable_to<Padding, tile_shape_t<Tile>> &&
           scalar_convertible_to<tile_element_t<Padding>, tile_element_t<tile_load_t<Tile>>>
CUDA_TILE_API tile_load_t<Tile> load_masked(Tile const& ptrs, Mask const& mask,
                                            Padding const& padding) noexcept {
  return detail::load_padded(ptrs, mask, padding);
}

/// [2.7.4] Where the mask is false the result is unspecified; it is zero here.
template <detail::loadable_scalar Tile, bool_tile_convertible Mask>
  requires broadcastable_to<Mask, tile_shape_t<Tile>>
CUDA_TILE_API tile_load_t<Tile> load_masked(Tile ptrs, Mask const& mask) noexcept {
  return detail::load_existing(ptrs, mask);
}
template <detail::loadable_large_tile Tile, bool_tile_convertible Mask>
  requires broadcastable_to<Mask, tile_shape_t<Tile>>
CUDA_TILE_API tile_load_t<Tile> load_masked(Tile const& ptrs, Mask const& mask) noexcept {
  return detail::load_existing(ptrs, mask);
}

namespace detail {

/// A load where the mask is true, otherwise the padding, with the checks of both.
template <typename Access, typename Tile, typename Mask, typename Padding>
CUDA_TILE_API tile_load_t<Tile> load_atomically(Access access, Tile const& ptrs, Mask const& mask,
                                                Padding const& padding) {
  constexpr unsigned flags = checks::access_flags<Access, checks::reads>;
  checks::before_access<flags>("atomic_load", ptrs, mask);
  checks::before_conversion<tile_element_t<tile_load_t<Tile>>>(padding);
  auto result = detail::load_masked<tile_load_t<Tile>>(access, ptrs, mask, padding);
  checks::after_access<flags>(ptrs, mask);
  return result;
}

} // namespace detail

template <memory_order Order, thread_scope Scope = default_thread_scope(), loadable_tile Tile>
  requires read_memory_order<Order>
CUDA_TILE_API tile_load_t<Tile> atomic_load(Tile ptrs, memory_order_constant<Order> = {},
                                            thread_scope_constant<Scope> = {}) noexcept {
  return detail::load_atomically(detail::atomic_access<Order, Scope>{}, ptrs, true, 0);
}

template <memory_order Order, thread_scope Scope = default_thread_scope(), loadable_tile Tile,
          bool_tile_convertible Mask>
  requires(broadcastable_to<Mask, tile_shape_t<Tile>> && read_memory_order<Order>)
CUDA_TILE_API tile_load_t<Tile> atomic_load_masked(Tile ptrs, Mask const& mask,
                                                   memory_order_constant<Order> = {},
                                                   thread_scope_constant<Scope> = {}) noexcept {
  auto result = detail::load_atomically(detail::atomic_access<Order, Scope>{}, ptrs, mask, 0);
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
  return detail::load_atomically(detail::atomic_access<Order, Scope>{}, ptrs, mask, padding);
}

/// [2.7.5]
template <storeable_tile Ptrs, non_narrowing_tile_convertible_to<tile_load_t<Ptrs>> Value>
CUDA_TILE_API void store(Ptrs ptrs, Value const& value) noexcept {
  checks::before_write<tile_shape_t<Ptrs>>("store", value, true);
  checks::before_access<checks::writes>("store", ptrs, true);
  detail::store_masked(detail::plain_access{}, ptrs, value, true);
}

/// [2.7.5] Nothing is stored where the mask is false.
template <storeable_tile Ptrs, non_narrowing_tile_convertible_to<tile_load_t<Ptrs>> Value,
          bool_tile_convertible Mask>
  requires broadcastable_to<Mask, tile_shape_t<Ptrs>>
CUDA_TILE_API void store_masked(Ptrs ptrs, Value const& value, Mask const& mask) noexcept {
  checks::before_write<tile_shape_t<Ptrs>>("store_masked", value, mask);
  checks::before_access<checks::writes>("store_masked", ptrs, mask);
  detail::store_masked(detail::plain_access{}, ptrs, value, mask);
}

template <memory_order Order, thread_scope Scope = default_thread_scope(), storeable_tile Ptrs,
          non_narrowing_tile_convertible_to<tile_load_t<Ptrs>> Value, bool_tile_convertible Mask>
  requires broadcastable_to<Mask, tile_shape_t<Ptrs>> && write_memory_order<Order>
CUDA_TILE_API void atomic_store_masked(Ptrs ptrs, Value const& value, Mask const& mask,
                                       memory_order_constant<Order> = {},
                                       thread_scope_constant<Scope> = {}) noexcept {
  using access = detail::atomic_access<Order, Scope>;
  checks::before_write<tile_shape_t<Ptrs>>("atomic_store", value, mask);
  checks::before_access<checks::access_flags<access, checks::writes>>("atomic_store", ptrs, mask);
  detail::store_masked(access{}, ptrs, value, mask);
}

template <memory_order Order, thread_scope Scope = default_thread_scope(), storeable_tile Ptrs,
          non_narrowing_tile_convertible_to<tile_load_t<Ptrs>> Value>
  requires write_memory_order<Order>
CUDA_TILE_API void atomic_store(Ptrs ptrs, Value const& value, memory_order_constant<Order> = {},
                                thread_scope_constant<Scope> = {}) noexcept {
  tiles::atomic_store_masked<Order, Scope>(ptrs, value, true);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI
