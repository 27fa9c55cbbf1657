// Tiles that are still being computed: sums of the matrix instructions of warp groups, whose registers are
// written while the threads that started them go on. Whoever reads such a tile asks for it settled() first.
// There is no sign that a tile is open: each that may be is waited for, which costs one instruction. With a
// sign, waits would depend on it, and a compiler that cannot follow it takes no instruction out of turn.
#pragma once

#include "cuda_tile/platform/wgmma.h"
#include "cuda_tile/threads/transposed.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// Whether tiles of elements E and shape S may be open: what warp groups can sum.
template <typename E, typename S>
CUDA_TILE_CONSTEXPR bool may_be_open() {
#if CUDA_TILE_WARP_GROUPS
  if constexpr ((is_same_v<E, float> || is_same_v<E, int>) && S::rank() >= 2 &&
                !distribution_of<S>::replicated) {
    constexpr size_t columns = row_length<S>(), rows = shape_size_v<S> / columns;
    constexpr unsigned slots = distribution_of<S>::slots;
    return rows >= 64 && columns >= 32 && distribution_of<S>::vector == 8 && slots >= 16 && slots <= 128;
  }
#endif
  return false;
}

/// x itself, or once it is computed.
template <typename T>
CUDA_TILE_API decltype(auto) settled(T const& x) {
#if CUDA_TILE_WARP_GROUPS
  if constexpr (may_be_open<element_t<T>, typename tile_parts<remove_cv_t<T>>::shape>()) {
    T result = x;
    platform::finish_sums<T::distribution::slots>(result.slots);
    return result;
  } else
#endif
    return (x);
}

template <typename T>
CUDA_TILE_API decltype(auto) normal(T const& x); // threads/exchange.h

/// x in a form that its conversion to elements E may have, once it is computed.
template <typename E, typename T>
CUDA_TILE_API decltype(auto) in_form_for(T const& x) {
  if constexpr (may_be_transposed<E, typename tile_parts<T>::shape>())
    return detail::settled(x);
  else
    return detail::normal(x);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
