// Matrix products with several threads a block: which model multiplies.
#pragma once

#include "cuda_tile/platform/note_mma.h"
#include "cuda_tile/threads/mma/fma.h"
#include "cuda_tile/threads/mma/mma_sync.h"
#include "cuda_tile/threads/mma/wgmma.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

template <typename L, typename R, typename A>
CUDA_TILE_CONSTEXPR auto choose_multiplication() {
  if constexpr (multiplications::wgmma::takes<L, R, A>())
    return multiplications::wgmma{};
  else if constexpr (multiplications::mma_sync::takes<L, R, A>())
    return multiplications::mma_sync{};
  else
    return multiplications::fma{};
}

/// See tile/primitives.h.
template <typename L, typename R, typename A>
CUDA_TILE_API A multiply_add_tiles(L const& lhs, R const& rhs, A const& acc) {
  using model = decltype(choose_multiplication<L, R, A>());
  static_assert(multiplication<model, L, R, A>);
  platform::note_mma<static_cast<unsigned>(model::unit)>();
  return model::multiply_add(lhs, rhs, acc);
}
template <typename A, typename L, typename R>
CUDA_TILE_API A multiply_tiles(L const& lhs, R const& rhs) {
  return multiply_add_tiles(lhs, rhs, filled<A>(detail::convert<typename A::element_type>(0)));
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
