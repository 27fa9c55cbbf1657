// How operations act on memory: each location once, in program order with the block's other operations
// [1.10].
#pragma once

#include "cuda_tile/checked/access.h"
#include "cuda_tile/core/constants.h"
#include "cuda_tile/tile/map.h"

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

/// [2.7.3] What a load from T yields.
template <loadable_tile T>
using tile_load_t = tile_with_element_t<T, detail::remove_cv_t<detail::pointee_t<T>>>;

namespace detail {

/// How many neighbours of a tile of shape S a thread holds together, at most 16 bytes of them.
template <typename E, typename S>
CUDA_TILE_CONSTEXPR unsigned vector_length() {
  constexpr unsigned most = sizeof(E) < 16 ? 16 / static_cast<unsigned>(sizeof(E)) : 1;
  return least(most, distribution_of<S>::vector);
}

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

/// The same values in all threads: those of the first thread that holds an element, where several do.
template <typename T>
CUDA_TILE_API T shared_value(T const& x) {
  if constexpr (!T::distribution::replicated) {
    return x;
  } else {
    T result;
    copy_through_scratch<same_index>(result, x);
    return result;
  }
}

} // namespace detail
} // namespace cuda::tiles::inline CUDA_TILE_ABI
