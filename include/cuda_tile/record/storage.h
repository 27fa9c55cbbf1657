// What a tile holds in record mode: the handle of a value.
#pragma once

#include "cuda_tile/platform/record_calls.h"
#include "cuda_tile/tile/conversions.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail::back_end {

template <typename E, typename S>
struct storage {
  ::cuda_tile::record::handle handle;
};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail::back_end
