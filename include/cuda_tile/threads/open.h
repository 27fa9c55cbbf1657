// Open products: sums of the matrix instructions of warp groups, whose registers are written while the
// threads that started them go on. Code that reads such a tile calls settled() first. No flag says that a
// tile is open: every tile that may be open is waited for, which costs one instruction. A flag would make the
// waits conditional, and a compiler that cannot predict it would not reorder instructions across them.
#pragma once

#include "cuda_tile/platform/wgmma.h"
#include "cuda_tile/threads/transposed.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// Whether tiles of elements E and shape S may be open: those that warp groups can accumulate.
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

/// x itself; if it is open, once it is computed.
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

/// x in a form that its conversion to elements E may have; if it is open, once it is computed.
template <typename E, typename T>
CUDA_TILE_API decltype(auto) in_form_for(T const& x) {
  if constexpr (may_be_transposed<E, typename tile_parts<T>::shape>())
    return detail::settled(x);
  else
    return detail::normal(x);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
