// Memory by pointers with several threads a block: each location once, and in program order with the block's
// other operations [1.10].
#pragma once

#include "cuda_tile/threads/pointer_vectors.h"
#include "cuda_tile/tile/memory_elements.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

template <typename S, typename F, typename... Operands>
CUDA_TILE_API void for_each_slot(F f, Operands const&... operands) {
  using D = distribution_of<S>;
  if (!D::first(platform::thread()))
    return;
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < D::slots; ++s)
    f(s, detail::operand_value(operands, s)...);
}

/// f(slot, pointer, values of the operands…) for each pointer of `ptrs`, once in the block. The barriers keep
/// the block's earlier and later accesses on their side of these.
template <typename F, typename Ptrs, typename... Operands>
CUDA_TILE_API void for_each_location(F f, Ptrs const& ptrs, Operands const&... operands) {
  using S = tile_shape_t<Ptrs>;
  platform::barrier();
  detail::for_each_slot<S>(f, detail::normal(ptrs), detail::aligned_operand<S>(operands)...);
  platform::barrier();
}

/// Makes values the same in all threads: where several hold an element, the first one's value counts.
template <typename T>
CUDA_TILE_API T shared_value(T const& x) {
  if constexpr (!T::distribution::replicated) {
    return x;
  } else {
    T result;
    detail::copy_through_scratch<same_index>(result, x);
    return result;
  }
}

template <typename R, typename Ptrs>
CUDA_TILE_API R load(Ptrs const& ptrs) {
  if constexpr (scalar<Ptrs>)
    return detail::map<R>([](auto p) { return *p; }, ptrs);
  else
    return detail::load_slots<R>(detail::normal(ptrs), true, tile_element_t<R>{});
}

template <typename R, typename Access, typename Ptrs, typename Mask, typename Padding>
CUDA_TILE_API R load_masked(Access access, Ptrs const& ptrs, Mask const& mask, Padding const& padding) {
  using E = tile_element_t<R>;
  using S = tile_shape_t<Ptrs>;
  if constexpr (!is_same_v<Access, plain_access>) {
    using T = tile<E, S>;
    T result = detail::normal(detail::map<T>([](auto pad) { return detail::convert<E>(pad); }, padding));
    detail::for_each_location(
        [&](unsigned s, auto p, auto m) {
          if (detail::convert<bool>(m))
            result.slots[s] = detail::read_element(access, p);
        },
        ptrs, mask);
    return static_cast<R>(detail::shared_value(result)); // one value per element in the whole block
  } else if constexpr (scalar<Ptrs>) {
    return detail::map<R>(
        [](auto p, auto m, auto pad) { return detail::convert<bool>(m) ? *p : detail::convert<E>(pad); },
        ptrs, mask, padding);
  } else {
    return detail::load_slots<R>(detail::normal(ptrs), detail::aligned_operand<S>(mask),
                                 detail::aligned_operand<S>(padding));
  }
}

template <typename Access, typename Ptrs, typename Value, typename Mask>
CUDA_TILE_API void store_masked(Access access, Ptrs const& ptrs, Value const& value, Mask const& mask) {
  using E = remove_pointer_t<tile_element_t<Ptrs>>;
  using S = tile_shape_t<Ptrs>;
  if constexpr (is_same_v<Access, plain_access> && !scalar<Ptrs>)
    detail::store_slots(detail::normal(ptrs), detail::aligned_operand<S>(value),
                        detail::aligned_operand<S>(mask));
  else
    detail::for_each_location(
        [access](unsigned, auto p, auto v, auto m) {
          if (detail::convert<bool>(m))
            detail::write_element(access, p, detail::convert<E>(v));
        },
        ptrs, value, mask);
}

/// Where several elements are updated together is left to the memory.
template <typename T, typename Access, typename Update, typename Ptrs, typename Value, typename Mask>
CUDA_TILE_API bool update_together(T&, Access, Update, Ptrs const&, Value const&, Mask const&) {
  return false;
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
