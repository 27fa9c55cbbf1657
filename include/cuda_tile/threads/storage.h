// What a tile holds where the threads of a block share it: each thread's part.
#pragma once

#include "cuda_tile/threads/transposed.h"
#include "cuda_tile/tile/conversions.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// What an operand has at slot s; a scalar or a tile of one element has it everywhere.
template <typename Operand>
CUDA_TILE_API auto operand_value(Operand const& operand, unsigned s) {
  if constexpr (scalar<Operand>)
    return static_cast<remove_cv_t<Operand>>(operand);
  else
    return operand.slots[tile_size_v<Operand> == 1 ? 0 : s];
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail

namespace cuda::tiles::inline CUDA_TILE_ABI::detail::back_end {

template <typename E, typename S>
struct storage {
  using distribution = distribution_of<S>;
#if CUDA_TILE_HAS_FORMS
  /// Whether it is; see threads/transposed.h. A bool beside padding would not be folded, nor, behind the
  /// slots, what a compiler thinks may change with one of them.
  unsigned transposed = 0;
#endif
  E slots[distribution::slots];
};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail::back_end
