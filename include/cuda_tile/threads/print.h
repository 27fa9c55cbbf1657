// The primitive print with several threads a block: the first one prints what the others hold.
#pragma once

#include "cuda_tile/print/array_text.h"
#include "cuda_tile/tile/primitives.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// Calls f(n, text) in the block's first thread for each element shown. Elements pass through scratch memory,
/// a part at a time.
template <typename T, typename F>
CUDA_TILE_API void for_each_shown(T const& x, F const& f) {
  using E = typename T::element_type;
  using shown = printing::shown_elements<typename T::shape_type>;
  using distribution = typename T::distribution;
  constexpr unsigned part =
      least(distribution::size, static_cast<unsigned>(platform::scratch_bytes / sizeof(E)));
  E* const scratch = static_cast<E*>(platform::scratch<part * sizeof(E)>());
  unsigned const t = platform::thread();
  for (unsigned n = 0; n < shown::count;) {
    unsigned const begin = shown::index(n) / part * part;
    platform::barrier();
    CUDA_TILE_UNROLL
    for (unsigned s = 0; s < distribution::slots; ++s) {
      unsigned const i = distribution::index(t, s) - begin;
      if (i < part && distribution::first(t))
        scratch[i] = x.slots[s];
    }
    platform::barrier();
    for (; n < shown::count && shown::index(n) - begin < part; ++n)
      if (t == 0)
        f(n, detail::element_text(scratch[shown::index(n) - begin]));
  }
}

template <typename T>
CUDA_TILE_API void print(char const* label, T const& x) {
  auto const copy = cuda::tiles::tile(x);
  auto const& elements = detail::normal(copy);
  printing::print_array<T>(label, platform::thread() == 0,
                           [&](auto f) { detail::for_each_shown(elements, f); });
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
