// Rows of a factor as units of 32 bits, which hold two or four neighbours of a column: so processors multiply
// bfloat16 and bytes.
#pragma once

#include "cuda_tile/platform/host_vectors.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// Lanes of the first or the second half of both, in turn.
template <unsigned Half, typename V>
CUDA_TILE_API V interleave(V a, V b) {
  constexpr unsigned lanes = sizeof(V) / sizeof(a[0]);
  return platform::shuffle_lanes(a, b,
                                 [](unsigned l) { return (l % 2) * lanes + Half * (lanes / 2) + l / 2; });
}

/// The vectors `from` and those at the next multiples of `step` bytes, of Count rows in all, as units that
/// hold an E of each row. Unit j and those after it, a vector of them, are written to place(j). The bits of
/// `flipped` are flipped.
template <unsigned Count, unsigned Bytes, typename E, typename Place>
CUDA_TILE_API void interleave_rows(Place place, unsigned char const* from, long long step, unsigned flipped) {
  using pair = platform::vector<unsigned short, Bytes>;
  using units = platform::vector<unsigned, Bytes>;
  pair pairs[Count];
  if constexpr (Count == 4) {
    using V = platform::vector<E, Bytes>;
    auto row = [&](unsigned p) { return platform::load_vector<V>(from + p * step); };
    pairs[0] = (pair)detail::interleave<0>(row(0), row(1));
    pairs[1] = (pair)detail::interleave<0>(row(2), row(3));
    pairs[2] = (pair)detail::interleave<1>(row(0), row(1));
    pairs[3] = (pair)detail::interleave<1>(row(2), row(3));
  } else {
    for (unsigned p = 0; p < Count; ++p)
      pairs[p] = platform::load_vector<pair>(from + p * step);
  }
  units const flips = flipped - units{};
  constexpr unsigned lanes = Bytes / sizeof(unsigned);
  for (unsigned p = 0; p < Count; p += 2) {
    auto const first = (units)detail::interleave<0>(pairs[p], pairs[p + 1]) ^ flips;
    auto const second = (units)detail::interleave<1>(pairs[p], pairs[p + 1]) ^ flips;
    platform::store_vector(place(p * lanes), first);
    platform::store_vector(place((p + 1) * lanes), second);
  }
}

/// The same for Columns elements of each row.
template <unsigned Count, unsigned Columns, typename E, typename Place>
CUDA_TILE_API void pack_row_of_units(Place place, unsigned char const* from, long long step,
                                     unsigned flipped = 0) {
  constexpr unsigned row = Columns * sizeof(E);
  constexpr unsigned bytes = row < platform::vector_bytes ? row : platform::vector_bytes;
  if constexpr (bytes % 16 == 0 && row % bytes == 0) {
    for (unsigned j = 0; j < Columns; j += bytes / sizeof(E))
      detail::interleave_rows<Count, bytes, E>([&](unsigned unit) { return place(j + unit); },
                                               from + j * sizeof(E), step, flipped);
  } else {
    for (unsigned j = 0; j < Columns; ++j) {
      unsigned unit = 0;
      for (unsigned p = 0; p < Count; ++p) {
        E element;
        __builtin_memcpy(&element, from + p * step + j * sizeof(E), sizeof element);
        unit |= static_cast<unsigned>(element) << (8 * sizeof(E) * p);
      }
      *place(j) = unit ^ flipped;
    }
  }
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
