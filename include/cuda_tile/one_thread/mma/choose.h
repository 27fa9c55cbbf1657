// Chooses the model that multiplies matrices with one thread a block.
#pragma once

#include "cuda_tile/one_thread/mma/amx.h"
#include "cuda_tile/one_thread/mma/cpu.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

template <typename L, typename R, typename A>
CUDA_TILE_CONSTEXPR auto choose_multiplication() {
  if constexpr (multiplications::cpu_amx::takes<L, R, A>())
    return multiplications::cpu_amx{};
  else
    return multiplications::cpu{};
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
