// [1.6.1] The element type and shape of a tile like type; the tile itself is defined later.
#pragma once

#include "cuda_tile/core/extents.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

template <typename T>
inline constexpr bool is_tile_v = false;

/// Element type and shape of a cv-unqualified tile like type: a scalar is its own element.
template <typename T>
struct tile_parts {
  using element = T;
  using shape = extents<uint32_t>;
};

template <typename T>
using element_t = typename tile_parts<remove_cv_t<T>>::element;

template <typename T>
inline constexpr bool is_tile_like_v = is_scalar_v<T> || is_tile_v<remove_cv_t<T>>;

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
