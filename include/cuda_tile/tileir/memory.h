// Pointers, and the positions of a view's tiles.
#pragma once

#include "cuda_tile/tileir/integers.h"

namespace cuda_tile::inline CUDA_TILE_ABI::tileir {

/// Where a tile begins, clamped to the end of the tensor.
template <typename E>
CUDA_TILE_API long long first(E index, long long step, long long extent) {
  auto const i = static_cast<unsigned long long>(read<as_unsigned>(index));
  return i > static_cast<unsigned long long>(extent / step) ? extent : static_cast<long long>(i) * step;
}

template <typename R, typename P, typename N>
CUDA_TILE_API R offset(P const& ptr, N const& n) {
  return map<R>([](auto p, auto i) { return p + static_cast<long long>(read<as_signed>(i)); }, ptr, n);
}
template <typename R, typename A>
CUDA_TILE_API R address_cast(A const& a) {
  using E = ct::tile_element_t<R>;
  return map<R>(
      [](auto x) {
        if constexpr (is_pointer_scalar_v<E> || is_pointer_scalar_v<decltype(x)>)
          return reinterpret_cast<E>(x);
        else
          return x;
      },
      a);
}

} // namespace cuda_tile::inline CUDA_TILE_ABI::tileir
