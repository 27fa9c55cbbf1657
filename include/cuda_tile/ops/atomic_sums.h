// Atomic additions of a tile with one thread a block: those that meet in a location are summed before, so
// that each location is written once.
#pragma once

#include "cuda_tile/ops/elements.h"
#include "cuda_tile/ops/memory_access.h"

namespace cuda::tiles::detail {

/// Locations that one tile may have for that: fewer than elements, or summing would not pay.
template <size_t Size>
inline constexpr unsigned summed_locations = static_cast<unsigned>(Size / 4 < 4096 ? Size / 4 : 4096);

template <typename E, size_t Size>
inline constexpr bool sums_before_adding = is_integral_scalar_v<E> && sizeof(E) == 4 && Size >= 256;

/// Adds values to *ptrs where the mask is true, integers, which sum in any order. `add(p, sum)` does it for
/// one location and yields what was there; `old` gets what was there before each element's turn. False, and
/// nothing is done, if the locations are not within summed_locations neighbours.
template <typename Add, typename E, typename S, typename P>
CUDA_TILE_API bool add_sums(Add add, tile<E, S>& old, tile<P*, S> const& ptrs, tile<E, S> const& values,
                            tile<bool, S> const& mask) {
  constexpr unsigned size = static_cast<unsigned>(shape_size_v<S>), most = summed_locations<size>;
  auto address = [&](unsigned s) { return platform::bit_cast<unsigned long long>(ptrs.slots[s]); };
  auto kept = [&](unsigned s) { return platform::bit_cast<unsigned char>(mask.slots[s]); };
  unsigned first_kept = 0;
  while (first_kept < size && !kept(first_kept))
    ++first_kept;
  if (first_kept == size)
    return true;
  // Places count from the first location; bits stand for conditions, which would become branches.
  unsigned long long base = address(first_kept), far = 0;
  int places[size], low = 0, high = 0;
  for (unsigned s = 0; s < size; ++s) {
    unsigned long long distance = address(s) - base, bits = 0ULL - kept(s);
    far |= (distance + (1ULL << 32)) & bits;
    places[s] = static_cast<int>(static_cast<unsigned>((distance & bits) >> 2));
    low = places[s] < low ? places[s] : low;
    high = places[s] > high ? places[s] : high;
  }
  auto count = static_cast<unsigned long long>(static_cast<long long>(high) - low + 1);
  if (far >> 33 != 0 || count > most)
    return false;
  for (unsigned s = 0; s < size; ++s) {
    int bits = 0 - static_cast<int>(kept(s));
    places[s] = ((places[s] - low) & bits) | (static_cast<int>(count) & ~bits);
  }
  unsigned long long sums[most + 1]; // sum and number; the last one takes what the mask leaves out
  for (unsigned i = 0; i <= count; ++i)
    sums[i] = 0;
  for (unsigned s = 0; s < size; ++s) {
    unsigned long long sum = sums[places[s]];
    old.slots[s] = static_cast<E>(sum >> 32);
    sums[places[s]] = sum + (static_cast<unsigned long long>(values.slots[s]) << 32 | 1);
  }
  P* first = ptrs.slots[first_kept] + low;
  for (unsigned i = 0; i < count; ++i)
    if (static_cast<unsigned>(sums[i]) != 0)
      sums[i] = static_cast<unsigned>(add(first + i, static_cast<E>(sums[i] >> 32)));
  for (unsigned s = 0; s < size; ++s)
    old.slots[s] = mask.slots[s] ? elements::add{}(old.slots[s], static_cast<E>(sums[places[s]])) : E(0);
  return true;
}

} // namespace cuda::tiles::detail
