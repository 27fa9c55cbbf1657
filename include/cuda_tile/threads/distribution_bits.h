// Which bit of an element's row-major index is which bit of the thread or of the slot that holds it.
#pragma once

#include "cuda_tile/core/traits.h"
#include "cuda_tile/platform/platform.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

CUDA_TILE_CONSTEXPR unsigned log2_of(unsigned n) {
  unsigned bit = 0;
  while (n >>= 1)
    ++bit;
  return bit;
}
CUDA_TILE_CONSTEXPR unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

struct index_bits {
  static constexpr unsigned none = 31; // a tile has fewer elements than 2^31
  unsigned slot_count = 0, thread_count = 0;
  unsigned slot[32] = {}, thread[32] = {}; // bit of the index; none for a thread bit that makes copies

  CUDA_TILE_CONSTEXPR void add_slots(unsigned first, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      slot[slot_count++] = first + i;
  }
  CUDA_TILE_CONSTEXPR void add_threads(unsigned first, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      thread[thread_count++] = first + i;
  }
  CUDA_TILE_CONSTEXPR void add_copies(unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      thread[thread_count++] = none;
  }
  /// The thread bits that make copies.
  CUDA_TILE_CONSTEXPR unsigned copies() const {
    unsigned mask = 0;
    for (unsigned b = 0; b < thread_count; ++b)
      if (thread[b] == none)
        mask |= 1u << b;
    return mask;
  }
  CUDA_TILE_CONSTEXPR unsigned vector(unsigned columns) const {
    unsigned b = 0;
    while (b < slot_count && slot[b] == b && (1u << b) < columns)
      ++b;
    return 1u << b;
  }
};

/// Tiles of few rows, or of few columns: runs of up to 4 elements are dealt to the threads in row-major
/// order.
CUDA_TILE_CONSTEXPR index_bits distribute_runs(unsigned size, unsigned threads) {
  unsigned const n = log2_of(size), t = log2_of(threads);
  index_bits bits;
  unsigned const slots = n > t ? n - t : 0, run = least(slots, threads == 1 ? slots : 2);
  bits.add_slots(0, run);
  bits.add_threads(run, least(n, t));
  bits.add_copies(t - least(n, t));
  bits.add_slots(run + t, slots - run);
  return bits;
}

/// Matrices are distributed like the accumulators of matrix instructions (PTX 9.7.14.5, figures of m16n8k16):
/// lane 4 g + q of a warp holds rows g and g + 8 of each 16. An instruction gives it two neighbouring
/// columns, and any columns may be given to any instruction, so a lane holds up to 8 neighbours, from several
/// instructions. Warps divide the rows first, then the columns. A single column is held by all q.
CUDA_TILE_CONSTEXPR index_bits distribute_matrix(unsigned rows, unsigned columns, unsigned threads) {
  unsigned const c = log2_of(columns), r = log2_of(rows), warps = log2_of(threads) - 5;
  unsigned const by_rows = least(warps, r - 4), by_columns = columns < 8 ? 0 : least(warps - by_rows, c - 3);
  unsigned const held = columns < 8 ? 0 : c - by_columns - 2, run = least(held, 3); // columns of a thread
  index_bits bits;
  bits.add_slots(0, run);
  bits.add_slots(run + 2, held - run);
  bits.add_slots(c + 3, 1);
  bits.add_slots(c + 4 + by_rows, r - 4 - by_rows);
  if (columns == 1)
    bits.add_copies(2);
  else
    bits.add_threads(run, 2);
  bits.add_threads(c, 3);
  bits.add_threads(c + 4, by_rows);
  bits.add_threads(c - by_columns, by_columns);
  bits.add_copies(warps - by_rows - by_columns);
  return bits;
}

CUDA_TILE_CONSTEXPR bool is_matrix(unsigned rows, unsigned columns, unsigned threads) {
  return threads >= 32 && rows >= 16 && (columns == 1 || columns >= 8);
}

CUDA_TILE_CONSTEXPR index_bits distribute(unsigned size, unsigned columns, unsigned threads) {
  return is_matrix(size / columns, columns, threads) ? distribute_matrix(size / columns, columns, threads)
                                                     : distribute_runs(size, threads);
}

struct bits_of_slot {
  CUDA_TILE_CONSTEXPR static unsigned count(index_bits const& bits) { return bits.slot_count; }
  CUDA_TILE_CONSTEXPR static unsigned const* list(index_bits const& bits) { return bits.slot; }
};
struct bits_of_thread {
  CUDA_TILE_CONSTEXPR static unsigned count(index_bits const& bits) { return bits.thread_count; }
  CUDA_TILE_CONSTEXPR static unsigned const* list(index_bits const& bits) { return bits.thread; }
};

/// Neighbouring bits that move together. Moving bits run by run takes fewer instructions.
struct bit_run {
  unsigned from = 0, to = 0, mask = 0; // of the run's length
};
CUDA_TILE_CONSTEXPR bit_run find_run(unsigned which, unsigned count, unsigned const* to) {
  unsigned seen = 0;
  for (unsigned b = 0; b < count;) {
    unsigned length = 1;
    while (b + length < count && to[b] != index_bits::none && to[b + length] == to[b] + length)
      ++length;
    if (to[b] != index_bits::none && seen++ == which)
      return {b, to[b], (1u << length) - 1};
    b += length;
  }
  return {};
}
template <typename D, typename Which, unsigned N>
CUDA_TILE_CONSTEXPR bit_run run_of() {
  return detail::find_run(N, Which::count(D::bits), Which::list(D::bits));
}

/// The index bits that slot or thread number x determines.
template <typename D, typename Which, unsigned N = 0>
CUDA_TILE_CONSTEXPR unsigned move_bits(unsigned x) {
  constexpr bit_run run = run_of<D, Which, N>();
  if constexpr (run.mask == 0)
    return 0;
  else
    return (x >> run.from & run.mask) << run.to | move_bits<D, Which, N + 1>(x);
}
/// The slot or thread number of index i; bits that make copies are 0.
template <typename D, typename Which, unsigned N = 0>
CUDA_TILE_CONSTEXPR unsigned move_bits_back(unsigned i) {
  constexpr bit_run run = run_of<D, Which, N>();
  if constexpr (run.mask == 0)
    return 0;
  else
    return (i >> run.to & run.mask) << run.from | move_bits_back<D, Which, N + 1>(i);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
