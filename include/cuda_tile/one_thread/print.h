// The primitive print with one thread a block.
#pragma once

#include "cuda_tile/print/array_text.h"
#include "cuda_tile/tile/primitives.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

template <typename T>
CUDA_TILE_API void print(char const* label, T const& x) {
  using shown = printing::shown_elements<tile_shape_t<T>>;
  auto const copy = cuda::tiles::tile(x);
  printing::print_array<T>(label, true, [&](auto f) {
    for (unsigned n = 0; n < shown::count; ++n) {
      unsigned const i = shown::index(n);
      if (checks::is_undefined(copy, i))
        f(n, short_text{{'?'}, 1});
      else
        f(n, detail::element_text(copy.slots[i]));
    }
  });
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
