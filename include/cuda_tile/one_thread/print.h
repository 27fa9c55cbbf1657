// The primitive print with one thread a block.
#pragma once

#include "cuda_tile/print/array_text.h"
#include "cuda_tile/tile/primitives.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// Prints x under the heading that heading(out) adds, each element e as text(e).
template <typename T, typename Heading, typename Text>
CUDA_TILE_API void print_array(T const& x, Heading heading, Text text) {
  using shape = tile_shape_t<T>;
  using shown = printing::shown_elements<shape>;
  auto const copy = cuda::tiles::tile(x);
  printing::print_array<shape>(heading, true, [&](auto f) {
    for (unsigned n = 0; n < shown::count; ++n) {
      unsigned const i = shown::index(n);
      if (checks::is_undefined(copy, i))
        f(n, short_text{{'?'}, 1});
      else
        f(n, text(copy.slots[i]));
    }
  });
}

template <typename T>
CUDA_TILE_API void print(char const* label, T const& x) {
  detail::print_array(x, printing::heading_of_type<T>{label}, printing::text_of_element{});
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
