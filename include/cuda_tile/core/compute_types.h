// The types in which elements are computed.
#pragma once

#include "cuda_tile/core/convert.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::elements {

using namespace detail;

/// An unsigned type at least as wide as int, so that no promotion to a signed type happens.
template <typename E>
using wide_unsigned = conditional_t<sizeof(E) <= 4, unsigned int, unsigned long long>;

template <typename E>
CUDA_TILE_CONSTEXPR E wrapped(wide_unsigned<E> x) {
  if constexpr (is_bool_v<E>)
    return (x & 1u) != 0;
  else
    return static_cast<E>(x);
}

template <typename E>
inline constexpr bool is_small_float =
    is_floating_point_v<E> && floating_rank<E>() < floating_rank<__nv_tf32>();

/// The type in which an element is computed: float for the smaller floating point types.
template <typename E>
using compute_t = conditional_t<is_small_float<E>, float, E>;

} // namespace cuda::tiles::inline CUDA_TILE_ABI::elements
