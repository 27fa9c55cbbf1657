// Where elements lie in scratch memory during an exchange from one distribution to another: in row-major
// order, except that some of the bits that select the bank are xor'ed with higher bits, which keeps both
// writes and reads free of bank conflicts.
//
// Memory serves 32 banks of 4 bytes at a time: accesses of up to 4 bytes by 32 threads, of 8 bytes by 16, or
// of 16 bytes by 8. Each bit of a lane corresponds to one bit of the index, so an access is free of conflicts
// if the banks of those bits, as vectors over {0, 1}, are linearly independent. If writes and reads have the
// same width, such vectors always exist: k bits to write and k to read rule out fewer than 2^k of them.
#pragma once

#include "cuda_tile/threads/distribution.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// A thread accesses 2^vector elements at a time; `bit` says which index bits the bits of its lane correspond
/// to.
struct lane_access {
  unsigned lanes = 0, vector = 0;
  unsigned bit[5] = {};
};

/// Linearly independent vectors over {0, 1}.
struct independent_vectors {
  unsigned with_top[32] = {}; // entry b: the vector whose highest 1 is bit b
  CUDA_TILE_CONSTEXPR bool add(unsigned v) {
    while (v != 0) {
      unsigned const top = log2_of(v);
      if (with_top[top] == 0) {
        with_top[top] = v;
        return true;
      }
      v ^= with_top[top];
    }
    return false;
  }
};

struct bank_swizzle {
  bool found = false;
  unsigned write = 0, read = 0; // log2 of the elements that are accessed at a time
  unsigned with[32] = {};       // what is xor'ed into the place if bit b of the index is 1

  CUDA_TILE_CONSTEXPR unsigned place(unsigned i) const {
    unsigned result = i;
    for (unsigned b = 0; b < 32; ++b)
      result ^= i >> b & 1 ? with[b] : 0;
    return result;
  }
};

/// For elements of 2^size bytes, the index bits that select banks in accesses of 2^vector elements: the first
/// one, and the first one above them.
CUDA_TILE_CONSTEXPR unsigned first_bank_bit(unsigned size, unsigned vector) {
  return size + vector < 2 ? 2 - size : vector;
}
CUDA_TILE_CONSTEXPR unsigned end_of_banks(unsigned size) { return 7 - size; }

/// Whether the lanes of an access still use different banks when index bit b contributes `place` to the bank;
/// adds it.
CUDA_TILE_CONSTEXPR bool stays_apart(independent_vectors& apart, lane_access const& access, unsigned size,
                                     unsigned bit, unsigned place) {
  unsigned const first = first_bank_bit(size, access.vector);
  unsigned const banks = (1u << end_of_banks(size)) - (1u << first);
  unsigned const phase = end_of_banks(size) - first; // lane bits that are served at a time
  for (unsigned l = 0; l < access.lanes && l < phase; ++l)
    if (access.bit[l] == bit)
      return bit < 1u << first || apart.add(place & banks);
  return true;
}

/// A swizzle with which neither access has conflicts, if there is one that keeps vectors contiguous.
CUDA_TILE_CONSTEXPR bank_swizzle find_swizzle(lane_access const& write, lane_access const& read,
                                              unsigned size, unsigned count) {
  bank_swizzle result;
  result.write = write.vector;
  result.read = read.vector;
  independent_vectors written, fetched;
  unsigned const end = end_of_banks(size), wider = write.vector > read.vector ? write.vector : read.vector;
  unsigned const step = 1u << first_bank_bit(size, wider);
  for (unsigned bit = 1; bit < count; bit *= 2) {
    bool done = false;
    if (bit < 1u << end) {
      done = stays_apart(written, write, size, bit, bit) && stays_apart(fetched, read, size, bit, bit);
    } else {
      for (unsigned with = 0; with < 1u << end && !done; with += step) {
        independent_vectors w = written, f = fetched;
        done = stays_apart(w, write, size, bit, with) && stays_apart(f, read, size, bit, with);
        if (done) {
          written = w;
          fetched = f;
          result.with[log2_of(bit)] = with;
        }
      }
    }
    if (!done)
      return result;
  }
  result.found = true;
  return result;
}

/// The swizzle with the fewest accesses for that many slots.
CUDA_TILE_CONSTEXPR bank_swizzle best_swizzle(lane_access write, lane_access read, unsigned size,
                                              unsigned count, unsigned write_slots, unsigned read_slots) {
  bank_swizzle best;
  unsigned const most_write = write.vector, most_read = read.vector;
  unsigned least_cost = ~0u;
  for (unsigned w = most_write + 1; w-- > 0;)
    for (unsigned r = most_read + 1; r-- > 0;) {
      unsigned const cost = (write_slots >> w) + (read_slots >> r);
      if (cost >= least_cost)
        continue;
      write.vector = w;
      read.vector = r;
      bank_swizzle const swizzle = find_swizzle(write, read, size, count);
      if (swizzle.found) {
        best = swizzle;
        least_cost = cost;
      }
    }
  return best;
}

/// The lane bits and vectors of a pattern, which says which index thread t has in slot s.
template <typename Pattern>
CUDA_TILE_CONSTEXPR lane_access access_of(unsigned size, unsigned count) {
  lane_access access;
  access.lanes = least(log2_of(platform::block_threads), 5);
  for (unsigned l = 0; l < access.lanes; ++l)
    access.bit[l] = Pattern::index(1u << l, 0) & (count - 1);
  while (access.vector + size < 4 && 1u << access.vector < Pattern::slots &&
         Pattern::index(0, 1u << access.vector) == 1u << access.vector)
    ++access.vector;
  return access;
}

/// The places of Count elements E that are written according to one pattern and read according to the other.
template <typename E, unsigned Count, typename Write, typename Read>
struct scratch_layout {
  static constexpr unsigned size = log2_of(sizeof(E));
  static constexpr bank_swizzle swizzle = detail::best_swizzle(
      access_of<Write>(size, Count), access_of<Read>(size, Count), size, Count, Write::slots, Read::slots);
  static_assert(swizzle.found);

  /// The place of element i.
  template <unsigned Bit = 0>
  CUDA_TILE_CONSTEXPR static unsigned place(unsigned i) {
    if constexpr (1u << Bit >= Count)
      return i & (Count - 1);
    else if constexpr (swizzle.with[Bit] == 0)
      return place<Bit + 1>(i);
    else
      return place<Bit + 1>(i) ^ (i >> Bit & 1) * swizzle.with[Bit];
  }
  /// The bits that the place of slot 0 can have set in any thread, if its index may also have the bits of
  /// `others`.
  template <typename Pattern>
  CUDA_TILE_CONSTEXPR static unsigned bits_of_threads(unsigned others) {
    unsigned bits = 0;
    for (unsigned t = 1; t < platform::block_threads; t *= 2)
      bits |= swizzle.place(Pattern::index(t, 0) & (Count - 1));
    for (unsigned b = 1; b < Count; b *= 2)
      bits |= (others & b) != 0 ? swizzle.place(b) : 0;
    return bits;
  }
};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
