// Matrix products with one thread a block: which model multiplies.
#pragma once

#include "cuda_tile/one_thread/mma/amx.h"
#include "cuda_tile/one_thread/mma/cpu.h"
#include "cuda_tile/platform/note_mma.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

template <typename L, typename R, typename A>
CUDA_TILE_CONSTEXPR auto choose_multiplication() {
  if constexpr (multiplications::cpu_amx::takes<L, R, A>())
    return multiplications::cpu_amx{};
  else
    return multiplications::cpu{};
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
  using model = decltype(choose_multiplication<L, R, A>());
  if constexpr (model::template takes_no_accumulator<L, R, A>()) {
    platform::note_mma<static_cast<unsigned>(model::unit)>();
    return model::template multiply<A>(lhs, rhs);
  } else {
    return multiply_add_tiles(lhs, rhs, filled<A>(detail::convert<tile_element_t<A>>(0)));
  }
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
