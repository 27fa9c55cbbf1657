// Memory by pointers with one thread a block.
#pragma once

#include "cuda_tile/one_thread/atomic_sums.h"
#include "cuda_tile/one_thread/atomic_words.h"
#include "cuda_tile/one_thread/map.h"
#include "cuda_tile/one_thread/pointer_loads.h"
#include "cuda_tile/tile/memory_elements.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

template <typename R, typename Ptrs>
CUDA_TILE_API R load(Ptrs const& ptrs) {
  if constexpr (scalar<Ptrs>)
    return detail::map<R>([](auto p) { return *p; }, ptrs);
  else
    return detail::load_by_runs<R>(ptrs);
}

template <typename S, typename F, typename... Operands>
CUDA_TILE_API void for_each_slot(F f, Operands const&... operands) {
  for (unsigned s = 0; s < distribution_of<S>::slots; ++s)
    f(s, detail::operand_value(operands, s)...);
}
/// f(slot, pointer, values of the operands…) for each pointer of `ptrs`.
template <typename F, typename Ptrs, typename... Operands>
CUDA_TILE_API void for_each_location(F f, Ptrs const& ptrs, Operands const&... operands) {
  using S = tile_shape_t<Ptrs>;
  detail::for_each_slot<S>(f, ptrs, detail::aligned_operand<S>(operands)...);
}

template <typename R, typename Access, typename Ptrs, typename Mask, typename Padding>
CUDA_TILE_API R load_masked(Access access, Ptrs const& ptrs, Mask const& mask, Padding const& padding) {
  using E = tile_element_t<R>;
  if constexpr (is_same_v<Access, plain_access> && masked_runs<E, Ptrs, Mask, Padding>) {
    return detail::load_by_masked_runs<R>(ptrs, mask, padding);
  } else if constexpr (is_same_v<Access, plain_access>) {
    return detail::map<R>(
        [](auto p, auto m, auto pad) { return detail::convert<bool>(m) ? *p : detail::convert<E>(pad); },
        ptrs, mask, padding);
  } else {
    auto result =
        detail::map<tile<E, tile_shape_t<Ptrs>>>([](auto pad) { return detail::convert<E>(pad); }, padding);
    detail::for_each_location(
        [&](unsigned s, auto p, auto m) {
          if (detail::convert<bool>(m))
            result.slots[s] = detail::read_element(access, p);
        },
        ptrs, mask);
    return static_cast<R>(result);
  }
}

template <typename Access, typename Ptrs, typename Value, typename Mask>
CUDA_TILE_API void store_masked(Access access, Ptrs const& ptrs, Value const& value, Mask const& mask) {
  using E = remove_pointer_t<tile_element_t<Ptrs>>;
  if constexpr (is_same_v<Access, plain_access> && masked_runs<E, Ptrs, Mask, Value>)
    detail::store_by_masked_runs(ptrs, value, mask);
  else
    detail::for_each_location(
        [access](unsigned, auto p, auto v, auto m) {
          if (detail::convert<bool>(m))
            detail::write_element(access, p, detail::convert<E>(v));
        },
        ptrs, value, mask);
}

/// Converts and broadcasts to the tile type T; an operand that already has that type is not copied.
template <typename T, typename Operand>
CUDA_TILE_API decltype(auto) broadcast_tile(Operand const& operand) {
  if constexpr (is_same_v<T, Operand>)
    return (operand);
  else
    return detail::map<T>([](auto v) { return detail::convert<typename T::element_type>(v); }, operand);
}

/// Updates *ptrs by values where the mask is true if that is quicker for several together, and returns
/// whether it was done; `old` then holds what each element found.
template <typename T, typename Access, typename Update, typename Ptrs, typename Value, typename Mask>
CUDA_TILE_API bool update_together([[maybe_unused]] T& old, [[maybe_unused]] Access access,
                                   [[maybe_unused]] Update kind, [[maybe_unused]] Ptrs const& ptrs,
                                   [[maybe_unused]] Value const& value, [[maybe_unused]] Mask const& mask) {
  using E = tile_element_t<T>;
  using S = tile_shape_t<T>;
  using Bools = tile<bool, S>;
  if constexpr (checks::enabled || scalar<Ptrs> || !is_same_v<Update, memory_add>) {
    return false;
  } else {
    auto const& values = detail::broadcast_tile<T>(value);
    auto const& kept = detail::broadcast_tile<Bools>(mask);
    if constexpr (sums_before_adding<E, shape_size_v<S>>)
      if (detail::add_sums([&](auto p, E sum) { return detail::update_element(access, kind, p, sum); }, old,
                           ptrs, values, kept))
        return true;
    if constexpr (is_same_v<tile_element_t<Ptrs>, E*>) {
      detail::add_to_words(access, old, ptrs, values, kept);
      return true;
    }
    return false;
  }
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
