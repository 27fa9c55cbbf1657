// What the blocks of a launch add atomically at places that they read, and need no old values of, such as the
// counts of a histogram or rows that belong together.
#pragma once

#include "cuda_tile/loops/shared_sums.h"
#include "cuda_tile/one_thread/pointer_loads.h"

namespace cuda_tile::inline CUDA_TILE_ABI::loops {

/// Sums of tiles of type T at places near each other.
template <typename T>
class scattered_sums {
  using element = typename T::element_type;
  using mask = ct::tile<bool, typename T::shape_type>;
  using pointers = ct::tile<element*, typename T::shape_type>;
  using address = unsigned long long;
  // The bytes are what the caches of a core hold.
  static constexpr unsigned size = T::distribution::size, capacity = (1u << 21) / sizeof(element), most = 16;
  static constexpr unsigned lanes = ct::platform::lanes_of_most<element, size>;
  // Fewer additions of a launch for each place take no longer one by one, if many threads share them.
  static constexpr address fewest_times = 16;

  /// A range of addresses from `first` on, of which the sums from `begin` up to `end` have values.
  struct range {
    address first;
    unsigned begin, end;

    address at(unsigned i) const { return first + i * sizeof(element); }
  };
  struct alignas(64) elements {
    element sums[capacity];

    element& of(range const& places, address at) { return sums[(at - places.first) / sizeof(element)]; }
  };

public:
  /// `rounds` says how many tiles each block is expected to add.
  CUDA_TILE_API scattered_sums(unsigned number, unsigned rounds) : memory_(number), rounds_(rounds) {}

  /// Adds elements to sums that belong to the same places. Returns false, and does nothing, if there are
  /// none.
  template <typename Mask>
  CUDA_TILE_API bool add(pointers const& places, T const& x, Mask const& exist) {
    if constexpr (ct::detail::is_same_v<Mask, mask>)
      if (loops::all_of(exist)) // then there are no branches
        return add(places, x, true);
    address low = ~0ull, high = 0;
    for (unsigned l = 0; l < size; ++l) {
      address const at = address_of(places.slots[l]), all = exists(exist, l) ? 0 : ~0ull;
      low = (at | all) < low ? at | all : low;
      high = (at & ~all) > high ? at & ~all : high;
    }
    if (low > high)
      return true; // no element exists
    address const count = (high - low) / sizeof(element) + 1;
    rounds_ = ++tiles_ > rounds_ ? tiles_ : rounds_;
    if (count > most_places())
      return false;
    return memory_.use_one([&](range& found, elements& sum) {
      if (!widen(found, sum, low, count))
        return false;
      for (unsigned l = 0; l < size; l += lanes)
        add_lanes(found, sum, places.slots + l, x.slots + l,
                  [&](unsigned i) { return exists(exist, l + i); });
      return true;
    });
  }

  /// At the end of each block: the last one adds all sums to memory, those of the same places together.
  template <typename... Modes>
  CUDA_TILE_API void end(Modes... modes) {
    range whole{};
    elements* all = nullptr;
    auto const flush = [&] {
      for (unsigned i = whole.begin; i < whole.end; i += part)
        add_part(whole, *all, i, modes...);
    };
    memory_.end([&](range& found, elements& sum) {
      if (all && widen(whole, *all, found.at(found.begin), found.end - found.begin)) {
        for (unsigned i = found.begin; i < found.end; ++i) {
          element& to = all->of(whole, found.at(i));
          to = ct::elements::add{}(to, sum.sums[i]);
        }
      } else if (found.begin < found.end) {
        flush();
        whole = found;
        all = &sum;
      }
    });
    flush();
  }

private:
  static constexpr unsigned part = 64;
  static_assert(capacity % part == 0);

  address most_places() const {
    address const worth = memory_.blocks() * rounds_ * size / fewest_times;
    return worth < capacity ? worth : capacity;
  }

  static address address_of(element const* p) { return ct::platform::bit_cast<address>(p); }
  static bool exists(bool all, unsigned) { return all; }
  static bool exists(mask const& exist, unsigned l) { return exist.slots[l]; }

  /// Adds a few elements: together, if their places are neighbours.
  template <typename Exist>
  static void add_lanes(range const& found, elements& sum, element* const* places, element const* x,
                        Exist const& exist) {
    bool all = true;
    for (unsigned i = 0; i < lanes; ++i)
      all &= exist(i);
    if (all && ct::detail::are_neighbours<lanes>(places)) {
      element* const to = &sum.of(found, address_of(places[0]));
      for (unsigned i = 0; i < lanes; ++i)
        to[i] = ct::elements::add{}(to[i], x[i]);
    } else {
      for (unsigned i = 0; i < lanes; ++i)
        if (exist(i)) {
          element& to = sum.of(found, address_of(places[i]));
          to = ct::elements::add{}(to, x[i]);
        }
    }
  }

  /// Lets sums belong to `count` places from `low` on as well, unless these are too far from theirs.
  bool widen(range& found, elements& sum, address low, address count) const {
    bool const is_new = found.begin == found.end;
    address const first = is_new ? low - (capacity - count) / 2 * sizeof(element) : found.first;
    address const begin = (low - first) / sizeof(element), end = begin + count;
    if (low < first || end > capacity || (low - first) % sizeof(element) != 0)
      return false;
    if (is_new)
      found = {first, static_cast<unsigned>(begin), static_cast<unsigned>(begin)};
    else if (end > found.begin + most_places() || found.end > begin + most_places())
      return false;
    for (; found.begin > begin; --found.begin)
      sum.sums[found.begin - 1] = loops::nothing<element>();
    for (; found.end < end; ++found.end)
      sum.sums[found.end] = loops::nothing<element>();
    return true;
  }

  /// Adds sums from i on to memory, but no zeros, which may belong to no place.
  template <typename... Modes>
  static void add_part(range const& found, elements const& sum, unsigned i, Modes... modes) {
    ct::tile<element, ct::shape<part>> values;
    ct::tile<element*, ct::shape<part>> places;
    ct::tile<bool, ct::shape<part>> exist;
    auto const none =
        ct::platform::bit_cast<ct::platform::bits_of_element<element>>(loops::nothing<element>());
    for (unsigned l = 0; l < part; ++l) {
      bool const is_sum = i + l < found.end;
      values.slots[l] = is_sum ? sum.sums[i + l] : loops::nothing<element>();
      auto const bits = ct::platform::bit_cast<ct::platform::bits_of_element<element>>(values.slots[l]);
      exist.slots[l] = bits != none;
      places.slots[l] = reinterpret_cast<element*>(found.at(i + l));
    }
    ct::atomic_add_masked(places, values, exist, modes...);
  }

  shared_memory<range, elements, most> memory_;
  address rounds_, tiles_ = 0;
};

} // namespace cuda_tile::inline CUDA_TILE_ABI::loops
