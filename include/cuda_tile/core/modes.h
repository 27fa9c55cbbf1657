// [1.9] Function objects for functions of elements in a rounding mode, a subnormals mode or a NaN mode.
#pragma once

#include "cuda_tile/core/constants.h"
#include "cuda_tile/core/elements.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::elements {

/// Function in a rounding mode and a subnormals mode.
template <typename Function, rounding_mode Mode, subnormals_rounding_mode SubMode>
struct rounded {
  template <typename E, typename... Rest>
  CUDA_TILE_API E operator()(E a, Rest... rest) const {
    return elements::in_rounding_mode<Function, Mode, SubMode>(a, rest...);
  }
};

/// [1.9.3] Maximum or minimum in a NaN mode and a subnormals mode.
template <typename Function, nan_propagation_mode NanMode, subnormals_rounding_mode SubMode>
struct propagating {
  template <typename E>
  CUDA_TILE_API E operator()(E a, E b) const {
    return elements::in_nan_mode<Function, NanMode, SubMode>(a, b);
  }
};

/// Any function of one argument with flushed subnormals [2.4.4] [2.4.9].
template <typename Function, subnormals_rounding_mode SubMode>
struct flushing {
  template <typename E>
  CUDA_TILE_API E operator()(E a) const {
    return elements::in_subnormals_mode<Function, SubMode>(a);
  }
};

/// [2.4.5] [2.4.14] Function, of which record mode also knows an approximate form; elsewhere both are the
/// same.
template <typename Function, rounding_mode Mode>
struct approximated : Function {};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::elements
