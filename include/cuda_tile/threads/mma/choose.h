// Chooses the model that multiplies matrices with several threads a block.
#pragma once

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

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
