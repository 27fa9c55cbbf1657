// The primitive print with several threads a block: the first one prints what the others hold.
#pragma once

#include "cuda_tile/print/array_text.h"
#include "cuda_tile/tile/primitives.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// Calls f(n, text(e)) in the block's first thread for each element e shown. Elements pass through scratch
/// memory, a part at a time.
template <typename T, typename Text, typename F>
CUDA_TILE_API void for_each_shown(T const& x, Text text, F const& f) {
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
    // NVRTC needs a minute for hundreds of slots unrolled, of which few are shown.
    CUDA_TILE_NO_UNROLL
    for (unsigned s = 0; s < distribution::slots; ++s) {
      unsigned const i = distribution::index(t, s) - begin;
      if (i < part && distribution::first(t))
        scratch[i] = x.slots[s];
    }
    platform::barrier();
    for (; n < shown::count && shown::index(n) - begin < part; ++n)
      if (t == 0)
        f(n, text(scratch[shown::index(n) - begin]));
  }
}

/// Prints x under the heading that heading(out) adds, each element e as text(e).
template <typename T, typename Heading, typename Text>
CUDA_TILE_API void print_array(T const& x, Heading heading, Text text) {
  auto const copy = cuda::tiles::tile(x);
  auto const& elements = detail::normal(copy);
  printing::print_array<tile_shape_t<T>>(heading, platform::thread() == 0,
                                         [&](auto f) { detail::for_each_shown(elements, text, f); });
}

template <typename T>
CUDA_TILE_API void print(char const* label, T const& x) {
  detail::print_array(x, printing::heading_of_type<T>{label}, printing::text_of_element{});
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
