// The primitive print in record mode.
#pragma once

#include "cuda_tile/record/map.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

template <typename T>
CUDA_TILE_API void print(char const* label, T const& x) {
  using tile_type = tile<tile_element_t<T>, tile_shape_t<T>>;
  using operation = back_end::record::print<conditional_t<scalar<T>, T, back_end::described_t<tile_type>>>;
  back_end::record::effect<operation, void>(label, back_end::handle_as<tile_type>(x));
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
