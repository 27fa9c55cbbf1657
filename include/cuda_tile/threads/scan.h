// scan with several threads a block. The bits of an element's position along the scanned dimension select
// slots of a thread, lanes of a warp, and warps. They are processed from the lowest up, in runs of one kind;
// after each run, elements are scanned within blocks of all bits processed so far, and all threads that hold
// a part of a block know its total. Slots need no exchange, lanes one shuffle per bit, and warps one exchange
// through scratch memory.
#pragma once

#include "cuda_tile/threads/exchange.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// How many numbers have no bits outside a mask.
CUDA_TILE_CONSTEXPR unsigned count_in(unsigned mask) {
  unsigned count = 1;
  for (; mask != 0; mask &= mask - 1)
    count *= 2;
  return count;
}

/// The lowest run of neighbouring bits of a mask.
template <unsigned Mask>
struct lowest_run {
  static constexpr unsigned first = log2_of(Mask & ~(Mask - 1));
  static constexpr unsigned length = log2_of((Mask >> first) + 1 & ~(Mask >> first));
  static constexpr unsigned bits = (1u << length) - 1, others = Mask & ~(bits << first);
};
/// The bits of x under the mask, packed together.
template <unsigned Mask>
CUDA_TILE_CONSTEXPR unsigned pack_bits(unsigned x) {
  if constexpr (Mask == 0)
    return 0;
  else
    return (x >> lowest_run<Mask>::first & lowest_run<Mask>::bits) | pack_bits<lowest_run<Mask>::others>(x)
                                                                         << lowest_run<Mask>::length;
}
/// Unpacks them to their places under the mask.
template <unsigned Mask>
CUDA_TILE_CONSTEXPR unsigned spread_bits(unsigned x) {
  if constexpr (Mask == 0)
    return 0;
  else
    return (x & lowest_run<Mask>::bits) << lowest_run<Mask>::first |
           detail::spread_bits<lowest_run<Mask>::others>(x >> lowest_run<Mask>::length);
}

/// The run of bits of one kind in the row-major index, from Bit on and below End.
template <typename D, unsigned Bit, unsigned End>
struct scan_run {
  static constexpr unsigned lanes = D::threads < 32 ? D::threads : 32;

  /// The slot bit, or thread bit, that index bit `bit` corresponds to; 0 if there is none.
  CUDA_TILE_CONSTEXPR static unsigned slot_bit(unsigned bit) {
    for (unsigned b = 0; b != D::bits.slot_count; ++b)
      if (D::bits.slot[b] == bit)
        return 1u << b;
    return 0;
  }
  CUDA_TILE_CONSTEXPR static unsigned thread_bit(unsigned bit) {
    for (unsigned b = 0; b != D::bits.thread_count; ++b)
      if (D::bits.thread[b] == bit)
        return 1u << b;
    return 0;
  }
  CUDA_TILE_CONSTEXPR static unsigned kind(unsigned bit) {
    return slot_bit(bit) != 0 ? 0 : thread_bit(bit) < lanes ? 1 : 2;
  }
  CUDA_TILE_CONSTEXPR static unsigned find_end() {
    unsigned end = Bit + 1;
    while (end < End && kind(end) == kind(Bit))
      ++end;
    return end;
  }
  CUDA_TILE_CONSTEXPR static unsigned find_mask() {
    unsigned mask = 0;
    for (unsigned bit = Bit; bit < find_end(); ++bit) {
      unsigned const next = slot_bit(bit) | thread_bit(bit);
      mask = next > mask ? mask | next : 0; // in ascending order, so that packed bits index the run
    }
    return mask;
  }
  static constexpr bool in_slots = kind(Bit) == 0, in_lanes = kind(Bit) == 1;
  static constexpr unsigned end = find_end(), mask = find_mask();
  static_assert(count_in(mask) == 1u << (end - Bit));
};

/// The scan so far: elements, and totals in the slots whose bits under Slots are 0.
template <typename D, typename E>
struct scan_state {
  E (&elements)[D::slots];
  E totals[D::slots];

  /// Combines `before` with all elements of one block.
  template <unsigned Slots, typename F>
  CUDA_TILE_API void take_in(unsigned block, E before, F f) {
    CUDA_TILE_UNROLL
    for (unsigned i = 0; i < count_in(Slots); ++i) {
      E& element = elements[block | spread_bits<Slots>(i)];
      element = f(before, element);
    }
  }
};

/// Scans along the slots of Run. The bits of Slots are done already.
template <unsigned Run, unsigned Slots, typename D, typename E, typename F>
CUDA_TILE_API void scan_slots(scan_state<D, E>& state, F f) {
  constexpr unsigned others = (D::slots - 1) & ~(Run | Slots);
  CUDA_TILE_UNROLL
  for (unsigned i = 0; i < count_in(others); ++i) {
    unsigned const first = spread_bits<others>(i);
    CUDA_TILE_UNROLL
    for (unsigned k = 1; k < count_in(Run); ++k) {
      unsigned const block = first | spread_bits<Run>(k);
      E const before = state.totals[first];
      state.totals[first] = f(before, state.totals[block]);
      state.template take_in<Slots>(block, before, f);
    }
  }
}

/// Scans along the lanes of Run: lanes that differ in one bit exchange the totals of their blocks, from the
/// lowest bit up.
template <unsigned Run, unsigned Slots, typename D, typename E, typename F>
CUDA_TILE_API void scan_lanes(scan_state<D, E>& state, F f) {
  constexpr unsigned blocks = (D::slots - 1) & ~Slots;
  unsigned const lane = platform::thread();
  CUDA_TILE_UNROLL
  for (unsigned i = 0; i < count_in(blocks); ++i) {
    unsigned const block = spread_bits<blocks>(i);
    E total = state.totals[block], before = total;
    CUDA_TILE_UNROLL
    for (unsigned k = 1; k < count_in(Run); k *= 2) {
      unsigned const bit = spread_bits<Run>(k), lower = spread_bits<Run>(k - 1);
      E const other = platform::shuffle_xor(total, bit);
      bool const upper = (lane & bit) != 0;
      if (upper)
        before = (lane & lower) != 0 ? f(other, before) : other;
      total = f(upper ? other : total, upper ? total : other);
    }
    state.totals[block] = total;
    if ((lane & Run) != 0)
      state.template take_in<Slots>(block, before, f);
  }
}

/// Scans along the warps of Run: the totals are combined in scratch memory. The bits of Threads are done
/// already.
template <unsigned Run, unsigned Slots, unsigned Threads, typename D, typename E, typename F>
CUDA_TILE_API void scan_warps(scan_state<D, E>& state, F f) {
  constexpr unsigned same = Threads | D::bits.copies(), others = (D::threads - 1) & ~(Run | same);
  constexpr unsigned parts = count_in(Run), width = count_in(others), blocks = (D::slots - 1) & ~Slots;
  constexpr unsigned step =
      least(count_in(blocks), static_cast<unsigned>(platform::scratch_bytes / (parts * width * sizeof(E))));
  E* scratch = static_cast<E*>(platform::scratch<step * parts * width * sizeof(E)>());
  unsigned const t = platform::thread(), part = pack_bits<Run>(t), place = pack_bits<others>(t);
  CUDA_TILE_UNROLL
  for (unsigned begin = 0; begin < count_in(blocks); begin += step) {
    platform::barrier();
    CUDA_TILE_UNROLL
    for (unsigned i = 0; i < step; ++i)
      if ((t & same) == 0)
        scratch[(i * parts + part) * width + place] = state.totals[spread_bits<blocks>(begin + i)];
    platform::barrier();
    CUDA_TILE_UNROLL
    for (unsigned i = 0; i < step; ++i) {
      unsigned const block = spread_bits<blocks>(begin + i);
      E total = scratch[i * parts * width + place], before = total;
      CUDA_TILE_UNROLL
      for (unsigned p = 1; p < parts; ++p) {
        if (p == part)
          before = total;
        total = f(total, scratch[(i * parts + p) * width + place]);
      }
      state.totals[block] = total;
      if (part != 0)
        state.template take_in<Slots>(block, before, f);
    }
  }
}

/// Processes the index bits from Bit on; those of Slots and Threads are done already.
template <unsigned Bit, unsigned End, unsigned Slots, unsigned Threads, typename D, typename E, typename F>
CUDA_TILE_API void scan_bits(scan_state<D, E>& state, F f) {
  if constexpr (Bit < End) {
    using run = scan_run<D, Bit, End>;
    if constexpr (run::in_slots) {
      detail::scan_slots<run::mask, Slots>(state, f);
      detail::scan_bits<run::end, End, Slots | run::mask, Threads>(state, f);
    } else {
      if constexpr (run::in_lanes)
        detail::scan_lanes<run::mask, Slots>(state, f);
      else
        detail::scan_warps<run::mask, Slots, Threads>(state, f);
      detail::scan_bits<run::end, End, Slots, Threads | run::mask>(state, f);
    }
  }
}

template <unsigned N, unsigned Inner, typename F, typename T>
CUDA_TILE_API void scan_elements(T& result, F f) {
  using D = typename T::distribution;
  scan_state<D, typename T::element_type> state{result.slots, {}};
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < D::slots; ++s)
    state.totals[s] = result.slots[s];
  detail::scan_bits<log2_of(Inner), log2_of(Inner * N), 0, 0>(state, f);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
