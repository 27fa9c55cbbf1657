// [1.9] Which modes an operation accepts for which elements.
#pragma once

#include "cuda_tile/core/modes.h"
#include "cuda_tile/tile/concepts.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

template <subnormals_rounding_mode SubMode, typename E>
inline constexpr bool subnormals_mode_fits =
    SubMode == subnormals_rounding_mode::preserve_subnormals ||
    (SubMode == subnormals_rounding_mode::round_subnormals_to_zero && is_same_v<E, float>);

/// A precise rounding mode for floating point elements; flushing of subnormals for float only.
template <rounding_mode Mode, subnormals_rounding_mode SubMode, typename T>
concept precise_rounding =
    basic_floating_point_tile<T> && elements::is_precise<Mode> && subnormals_mode_fits<SubMode, element_t<T>>;

/// [2.2.6] The same, and for float also approximate and full.
template <rounding_mode Mode, subnormals_rounding_mode SubMode, typename T>
concept division_rounding =
    basic_floating_point_tile<T> && subnormals_mode_fits<SubMode, element_t<T>> &&
    (elements::is_precise<Mode> ||
     ((Mode == rounding_mode::round_approximate || Mode == rounding_mode::round_full) &&
      is_same_v<element_t<T>, float>));

/// [2.4.8] The same, and for float also approximate.
template <rounding_mode Mode, subnormals_rounding_mode SubMode, typename T>
concept square_root_rounding = basic_floating_point_tile<T> && subnormals_mode_fits<SubMode, element_t<T>> &&
                               (elements::is_precise<Mode> ||
                                (Mode == rounding_mode::round_approximate && is_same_v<element_t<T>, float>));

/// [2.2.20] A NaN mode for floating point elements; flushing of subnormals for float only.
template <nan_propagation_mode NanMode, subnormals_rounding_mode SubMode, typename T>
concept nan_propagation =
    basic_floating_point_tile<T> && subnormals_mode_fits<SubMode, element_t<T>> &&
    (NanMode == nan_propagation_mode::suppress_nan || NanMode == nan_propagation_mode::propagate_nan);

/// [2.4.5] [2.4.14] Full rounding, and for float also approximate, which CUDA 13.4 adds.
template <rounding_mode Mode, typename T>
concept approximate_rounding = basic_floating_point_tile<T> &&
                               (Mode == rounding_mode::round_full ||
                                (Mode == rounding_mode::round_approximate && is_same_v<element_t<T>, float>));

/// [2.4.4] A subnormals mode: flushing for float only.
template <subnormals_rounding_mode SubMode, typename T>
concept subnormals_rounding = basic_floating_point_tile<T> && subnormals_mode_fits<SubMode, element_t<T>>;

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
