// The bytes that a tile in memory occupies, and whether two such ranges overlap.
#pragma once

#include "cuda_tile/tileir/tiles.h"

namespace cuda_tile::inline CUDA_TILE_ABI::loops {

/// From `begin` up to but not including `end`; empty if they are equal.
struct range {
  unsigned long long begin, end;
};

/// The range of an access: `counts` elements along each axis, at the given distances in elements.
template <unsigned Rank, typename E>
CUDA_TILE_API range range_of(E const* origin, long long const (&counts)[Rank],
                             long long const (&steps)[Rank]) {
  auto begin = reinterpret_cast<unsigned long long>(origin), end = begin + sizeof(E);
  for (unsigned d = 0; d < Rank; ++d) {
    if (counts[d] <= 0)
      return {0, 0};
    auto reach = static_cast<unsigned long long>((counts[d] - 1) * steps[d]) * sizeof(E);
    (steps[d] < 0 ? begin : end) += reach;
  }
  return {begin, end};
}

CUDA_TILE_API bool disjoint(range a, range b) {
  return a.begin == a.end || b.begin == b.end || a.end <= b.begin || b.end <= a.begin;
}

/// Whether no two elements of an access lie at the same address; axes from the outermost to the innermost.
template <unsigned Rank>
CUDA_TILE_API bool is_injective(long long const (&counts)[Rank], long long const (&steps)[Rank]) {
  long long reach = 1;
  for (unsigned d = Rank; d-- > 0;) {
    if (counts[d] <= 1)
      continue;
    if (steps[d] < reach)
      return false;
    reach += (counts[d] - 1) * steps[d];
  }
  return true;
}

/// Whether all of first + i * step, for i below each count, are values of the integer type E, so that none
/// wraps around.
template <unsigned Rank, typename E>
CUDA_TILE_API bool fits(E first, long long const (&counts)[Rank], long long const (&steps)[Rank]) {
  __int128 least = first, greatest = first;
  for (unsigned d = 0; d < Rank; ++d)
    (steps[d] < 0 ? least : greatest) += static_cast<__int128>(counts[d] - 1) * steps[d];
  return least == static_cast<E>(least) && greatest == static_cast<E>(greatest);
}

/// How many of the `count` elements of a view's tile at an index are within the extent. Tiles begin `apart`
/// elements from each other.
template <typename I>
CUDA_TILE_API long long inside(long long extent, I index, long long count, long long apart) {
  auto number = static_cast<unsigned long long>(index);
  bool exists = number <= static_cast<unsigned long long>(extent / apart);
  long long left = exists ? extent - static_cast<long long>(number) * apart : 0;
  return left < count ? left : count;
}

CUDA_TILE_API constexpr long long least(long long a, long long b) { return a < b ? a : b; }

/// For how many i, from 0 up to but not including `most`, first + i * step is below the bound.
template <bool Inclusive, typename E>
CUDA_TILE_API long long below(E first, E bound, long long step, long long most) {
  __int128 left = static_cast<__int128>(bound) - first + (Inclusive ? step : step - 1);
  return left < step ? 0 : left / step < most ? static_cast<long long>(left / step) : most;
}

} // namespace cuda_tile::inline CUDA_TILE_ABI::loops
