// What a tile holds where the threads of a block share it: the part of one thread.
#pragma once

#include "cuda_tile/threads/transposed.h"
#include "cuda_tile/tile/conversions.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// An operand's value at slot s; a scalar or a tile of one element has the same value at every slot.
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
  /// Whether the tile is in the transposed form; see threads/transposed.h. Compilers would not fold a bool
  /// followed by padding, nor a member behind the slots, which they think a store to a slot may change.
  unsigned transposed = 0;
#endif
  E slots[distribution::slots];
};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail::back_end
