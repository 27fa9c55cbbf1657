// Atomic additions of a tile with one thread a block: values for the same location are summed first, so that
// each location is written once.
#pragma once

#include "cuda_tile/core/elements.h"
#include "cuda_tile/platform/host_vectors.h"
#include "cuda_tile/tile/tile.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// The most locations for which a tile's values are summed first. It is well below the number of elements, or
/// summing would not pay.
template <size_t Size>
inline constexpr unsigned summed_locations = static_cast<unsigned>(Size / 4 < 4096 ? Size / 4 : 4096);

template <typename E, size_t Size>
inline constexpr bool sums_before_adding = is_integral_scalar_v<E> && sizeof(E) == 4 && Size >= 256;

/// A range of neighbouring locations.
template <typename P>
struct location_range {
  P* first = nullptr;
  unsigned long long count = 0;
};

/// A range that holds all of ptrs: all locations that share the address bits in which ptrs agree.
template <typename P, typename S>
CUDA_TILE_API location_range<P> common_range(tile<P*, S> const& ptrs) {
  using V = platform::vector<unsigned long long>;
  constexpr unsigned size = static_cast<unsigned>(shape_size_v<S>), lanes = sizeof(V) / sizeof(P*), line = 8;
  static_assert(sizeof(P*) == 8 && size % line == 0 && line % lanes == 0);
  auto const first = platform::bit_cast<unsigned long long>(ptrs.slots[0]);
  V all{};
  for (unsigned s = 0; s < size; s += line) {
    __builtin_prefetch(ptrs.slots + s + 8 * line); // large tiles are in the L2 cache
    for (unsigned l = 0; l < line; l += lanes)
      all |= platform::load_vector<V>(ptrs.slots + s + l) ^ first;
  }
  unsigned long long differing = 0;
  for (unsigned l = 0; l < lanes; ++l)
    differing |= all[l];
  for (unsigned shift = 1; shift < 64; shift *= 2)
    differing |= differing >> shift;
  return {ptrs.slots[0] - (first & differing) / sizeof(P), differing / sizeof(P) + 1};
}

/// The range from the first to the last location whose mask is true; an arbitrary location if there is none.
template <typename P, typename S>
CUDA_TILE_API location_range<P> exact_range(tile<P*, S> const& ptrs, tile<bool, S> const& mask) {
  constexpr unsigned size = static_cast<unsigned>(shape_size_v<S>);
  auto address = [&](unsigned s) { return platform::bit_cast<unsigned long long>(ptrs.slots[s]); };
  auto kept = [&](unsigned s) { return platform::bit_cast<unsigned char>(mask.slots[s]); };
  unsigned origin = 0;
  while (origin < size && !kept(origin))
    ++origin;
  if (origin == size)
    return {ptrs.slots[0], 1};
  // More offsets of 32 bits fit into a vector. The mask is applied as bits, since a condition would become a
  // branch.
  unsigned long long base = address(origin), far = 0;
  int low = 0, high = 0;
  for (unsigned s = 0; s < size; ++s) {
    unsigned long long distance = address(s) - base, bits = 0ULL - kept(s);
    far |= (distance + (1ULL << 32)) & bits;
    int place = static_cast<int>(static_cast<unsigned>((distance & bits) / sizeof(P)));
    low = place < low ? place : low;
    high = place > high ? place : high;
  }
  if (far >> 33 != 0)
    return {nullptr, ~0ULL};
  return {ptrs.slots[origin] + low, static_cast<unsigned long long>(static_cast<long long>(high) - low) + 1};
}

/// Adds values to *ptrs where the mask is true. The values are integers, whose sum does not depend on their
/// order. `add(p, sum)` adds to one location and returns its previous value; `old` receives the value that
/// each element found. Returns false, and does nothing, if the range of locations is longer than
/// summed_locations.
template <typename Add, typename E, typename S, typename P>
CUDA_TILE_API bool add_sums(Add add, tile<E, S>& old, tile<P*, S> const& ptrs, tile<E, S> const& values,
                            tile<bool, S> const& mask) {
  constexpr unsigned size = static_cast<unsigned>(shape_size_v<S>), most = summed_locations<size>;
  auto kept = [&](unsigned s) { return platform::bit_cast<unsigned char>(mask.slots[s]) != 0; };
  // Masked-out locations are usually near the others, and then need not be excluded.
  location_range<P> range = detail::common_range(ptrs);
  if (range.count > most)
    range = detail::exact_range(ptrs, mask);
  if (range.count > most)
    return false;
  P* const first = range.first;
  unsigned const count = static_cast<unsigned>(range.count);

  unsigned long long sums[most + 1]; // sum and count, and those of what is left out
  for (unsigned i = 0; i <= count; ++i)
    sums[i] = 0;
  E differing = 0;
  for (unsigned s = 0; s < size; ++s)
    differing |= values.slots[s] ^ values.slots[0];
  auto one = [&](unsigned s) { return static_cast<unsigned long long>(values.slots[s]) << 32 | 1; };
  auto place = [&](unsigned s) { return static_cast<size_t>(ptrs.slots[s] - first); };
  auto add_up_at = [&](auto place_of, auto addend) {
#pragma GCC unroll 4
    for (unsigned s = 0; s < size; ++s) {
      unsigned long long& sum = sums[place_of(s)];
      old.slots[s] = static_cast<E>(sum >> 32);
      sum += addend(s);
    }
  };
  auto add_up = [&](auto place_of) {
    if (differing == 0)
      add_up_at(place_of, [each = one(0)](unsigned) { return each; });
    else
      add_up_at(place_of, one);
  };
  unsigned char left_out = 0;
  for (unsigned s = 0; s < size; ++s)
    left_out = static_cast<unsigned char>(left_out | (platform::bit_cast<unsigned char>(mask.slots[s]) ^ 1));
  if (left_out == 0) {
    add_up(place);
  } else { // a condition within the sums' loop would be a branch that goes either way
    unsigned places[size];
    for (unsigned s = 0; s < size; ++s)
      places[s] = kept(s) ? static_cast<unsigned>(place(s)) : count;
    add_up([&](unsigned s) { return places[s]; });
  }

  for (unsigned i = 0; i < count; ++i)
    if (static_cast<unsigned>(sums[i]) != 0)
      sums[i] = static_cast<unsigned>(add(first + i, static_cast<E>(sums[i] >> 32)));
  for (unsigned s = 0; s < size; ++s)
    old.slots[s] = kept(s) ? elements::add{}(old.slots[s], static_cast<E>(sums[place(s)])) : E(0);
  return true;
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
