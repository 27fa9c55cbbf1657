// What a tile holds where a block has one thread: the array of its elements in row-major order.
#pragma once

#include "cuda_tile/core/violation.h"
#include "cuda_tile/tile/conversions.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// Where elements are, in the terms that back ends with several threads use.
template <typename S>
struct distribution_of {
  static constexpr unsigned size = static_cast<unsigned>(shape_size_v<S>), slots = size;
  CUDA_TILE_CONSTEXPR static unsigned index(unsigned, unsigned slot) { return slot; }
};

/// Element s of an operand; a scalar or a tile of one element has the same value for every s.
template <typename Operand>
CUDA_TILE_API auto operand_value(Operand const& operand, unsigned s) {
  if constexpr (scalar<Operand>)
    return static_cast<remove_cv_t<Operand>>(operand);
  else if constexpr (is_bool_v<typename Operand::element_type>) // g++ 12 does not vectorise loads of bool
    return platform::bit_cast<unsigned char>(operand.slots[tile_size_v<Operand> == 1 ? 0 : s]) != 0;
  else
    return operand.slots[tile_size_v<Operand> == 1 ? 0 : s];
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail

namespace cuda::tiles::inline CUDA_TILE_ABI::detail::back_end {

template <typename E, typename S>
struct storage {
  using distribution = distribution_of<S>;
  E slots[distribution::slots];
#if CUDA_TILE_CHECKED_FULLY
  /// Which elements have no value; see checked/values.h.
  unsigned undefined = checks::none_defined;
#endif
};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail::back_end
