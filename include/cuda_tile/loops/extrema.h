// Strips of floats and one number that is known: of their maxima and minima a comparison and a choice make
// all, which compilers do not find, as others have to order zeros and to leave out NaN on both sides.
#pragma once

#include "cuda_tile/loops/strips.h"

namespace cuda_tile::inline CUDA_TILE_ABI::loops {

/// The greater of each element and a number that is neither NaN nor -0, or, unless Max, the lesser of it and
/// one that is neither NaN nor +0: an equal zero gives way to that. So do NaN, unless they propagate.
template <bool Max, bool Propagates, typename R, typename E>
CUDA_TILE_API R extremum(R const& x, E number) {
  using V = ct::platform::vector_of_most<E, R::distribution::size>;
  V const numbers = number - V{};
  R result;
  for (unsigned l = 0; l < R::distribution::size; l += sizeof(V) / sizeof(E)) {
    auto const v = ct::platform::load_vector<V>(x.slots + l);
    V found;
    if constexpr (Propagates)
      found = (Max ? v <= numbers : v >= numbers) ? numbers : v;
    else
      found = (Max ? v > numbers : v < numbers) ? v : numbers;
    ct::platform::store_vector(result.slots + l, found);
  }
  return result;
}

} // namespace cuda_tile::inline CUDA_TILE_ABI::loops
