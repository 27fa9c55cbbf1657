// [2.7.1] to [2.7.5] Loads and stores through tiles of pointers. The manual's parameters are values, to which
// arrays convert. Loads take references instead, since compilers would copy the tiles.
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

/// What a parameter that is a value would be made from: arrays are pointers, and pointers are not
/// __restrict__, which g++ deduces for `p + i` if p is.
template <typename T>
CUDA_TILE_API constexpr T const& by_value(T const& tile) noexcept {
  return tile;
}
template <typename T>
CUDA_TILE_API constexpr T* by_value(T* pointer) noexcept {
  return pointer;
}
template <typename T>
using by_value_t = remove_cvref_t<decltype(detail::by_value(declval<T const&>()))>;

} // namespace detail

/// [2.7.4] The values that ptrs point to.
template <typename Tile>
  requires loadable_tile<detail::by_value_t<Tile>>
CUDA_TILE_API tile_load_t<detail::by_value_t<Tile>> load(Tile const& argument) noexcept {
  auto const& ptrs = detail::by_value(argument);
  checks::before_access<checks::reads>("load", ptrs, true);
  return detail::load<tile_load_t<detail::by_value_t<Tile>>>(ptrs);
}

/// [2.7.4] Where the mask is false, nothing is read and the padding is the result.
template <typename Tile, bool_tile_convertible Mask, tile_like Padding>
  requires loadable_tile<detail::by_value_t<Tile>> &&
           broadcastable_to<Mask, tile_shape_t<detail::by_value_t<Tile>>> &&
           broadcastable_to<Padding, tile_shape_t<detail::by_value_t<Tile>>> &&
           scalar_convertible_to<tile_element_t<Padding>,
                                 tile_element_t<tile_load_t<detail::by_value_t<Tile>>>>
CUDA_TILE_API tile_load_t<detail::by_value_t<Tile>> load_masked(Tile const& argument, Mask const& mask,
                                                                Padding const& padding) noexcept {
  using R = tile_load_t<detail::by_value_t<Tile>>;
  auto const& ptrs = detail::by_value(argument);
  checks::before_access<checks::reads>("load_masked", ptrs, mask);
  checks::before_conversion<tile_element_t<R>>(padding);
  auto result = detail::load_masked<R>(detail::plain_access{}, ptrs, mask, padding);
  checks::after_choice(result, mask, true, padding);
  return result;
}

/// [2.7.4] Where the mask is false the result is unspecified; it is zero here.
template <typename Tile, bool_tile_convertible Mask>
  requires loadable_tile<detail::by_value_t<Tile>> &&
           broadcastable_to<Mask, tile_shape_t<detail::by_value_t<Tile>>>
CUDA_TILE_API tile_load_t<detail::by_value_t<Tile>> load_masked(Tile const& argument,
                                                                Mask const& mask) noexcept {
  auto const& ptrs = detail::by_value(argument);
  checks::before_access<checks::reads>("load_masked", ptrs, mask);
  auto result =
      detail::load_masked<tile_load_t<detail::by_value_t<Tile>>>(detail::plain_access{}, ptrs, mask, 0);
  checks::after_masked_load(result, mask);
  return result;
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
