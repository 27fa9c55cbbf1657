// Operands of a matrix product in memory that the block shares: rows of segments of 16 bytes, placed so that
// the threads of a warp meet in no bank.
#pragma once

#include "cuda_tile/ops/fp8_halves.h"
#include "cuda_tile/ops/mma_operands.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// Where segment `segment` of a row of `Segments` lies, in segments; 8 of them are all 32 banks. Bits of row
/// and segment are so mixed into the last three that those of these in any one column are independent:
///
///   row 0, 1, 2                        one segment of 8 rows: ldmatrix, and stores of 4 bytes
///   row 0, 1, 3                        the same of rows in the order of load_bytes
///   row 0, segment 0, 1                2 rows of 4: stores of 8 halves
///   row 0, 1 (or 3), segment 0         4 rows of 2: loads of words, stores of 8 bytes (to columns)
///   row 0, segment 1, 2 (or 2, 3)      2 rows, every second (fourth) segment: stores of 8 floats (doubles)
template <unsigned Segments>
CUDA_TILE_CONSTEXPR unsigned swizzled(unsigned row, unsigned segment) {
  constexpr unsigned mask = Segments < 8 ? Segments - 1 : 7;
  unsigned const mixed = (row & 1) * 5 ^ (row & 2) ^ (row >> 2 & 1) ^ (row >> 3 & 1) * 3 ^ (segment >> 2 & 2);
  return row * Segments + (segment ^ (mixed & mask));
}

/// Places are linear: that of the exclusive or of two indices is the exclusive or of their places. So a
/// thread's places are one of its own, and constants: whose last bits are mixed in, and the others added, by
/// the instruction that accesses.
template <typename E, unsigned Columns>
struct staged_matrix {
  using element_type = E;
  static constexpr unsigned columns = Columns, per_segment = 16 / sizeof(E), segments = Columns / per_segment;
  static_assert(Columns >= per_segment);
  E* at;

  /// In elements from the first.
  CUDA_TILE_CONSTEXPR static unsigned place(unsigned row, unsigned column) {
    return swizzled<segments>(row, column / per_segment) * per_segment + column % per_segment;
  }
  /// The element whose row and column are those of two places that have no bit of either in common.
  CUDA_TILE_API E* element(unsigned place, unsigned constant) const {
    constexpr unsigned mixed = least(segments, 8) * per_segment - 1;
    return at + (place ^ (constant & mixed)) + (constant & ~mixed);
  }
};

/// A matrix product's lengths, and which of its accumulators a warp and a thread hold. Rows are those of all
/// batches.
template <typename L, typename R, typename A>
struct product {
  using D = typename A::distribution;
  static constexpr unsigned batches = matrix<A>::batches;
  static constexpr unsigned left_batches = matrix<L>::batches, right_batches = matrix<R>::batches;
  static constexpr unsigned m = matrix<A>::rows, columns = matrix<A>::columns, inner = matrix<L>::columns;
  static constexpr unsigned rows = batches * m;

  static constexpr unsigned warps = D::threads / 32;
  static constexpr bool is_shared = rows >= 16 && warps != 0; // else nothing below is used
  static constexpr unsigned by_rows = is_shared ? least(warps, rows / 16) : 1;
  static constexpr unsigned by_columns = is_shared && columns >= 8 ? least(warps / by_rows, columns / 8) : 1;
  static constexpr unsigned row_blocks = rows / 16 / by_rows;         // of 16
  static constexpr unsigned column_blocks = columns / 8 / by_columns; // of 8
  static constexpr unsigned held = 2 * column_blocks;                 // of a row, by a thread
  static constexpr unsigned run = D::vector;                          // neighbours among them
  /// Row blocks of a warp that are of one batch; all if the batches have the right operand in common.
  static constexpr unsigned together =
      right_batches == 1 ? row_blocks : (m / 16 < by_rows ? 1 : m / 16 / by_rows);

  /// The first row of a warp's block.
  CUDA_TILE_CONSTEXPR static unsigned row(unsigned warp, unsigned block) {
    return (block * by_rows + warp % by_rows) * 16;
  }
  CUDA_TILE_CONSTEXPR static unsigned column(unsigned warp) {
    return warp / by_rows % by_columns * column_blocks * 8;
  }
  CUDA_TILE_CONSTEXPR static unsigned left_row(unsigned row) {
    return left_batches == batches ? row : row % m;
  }
  CUDA_TILE_CONSTEXPR static unsigned right_batch(unsigned row) { return right_batches == 1 ? 0 : row / m; }
  /// Where the accumulators of a row block's upper or lower 8 rows begin.
  CUDA_TILE_CONSTEXPR static unsigned slot(unsigned block, unsigned lower) {
    return (2 * block + lower) * held;
  }
};

/// How the right operand's columns are ordered in a staged row. ldmatrix gives lane 4 g + q the elements g of
/// 8 groups of Chunk bytes or halves, so each thread's Run neighbours (threads/distribution_bits.h) are dealt
/// out, Chunk to a segment; 0: they stay. What has fewer neighbours than a chunk takes leaves gaps.
template <unsigned Chunk, unsigned Run>
struct column_order {
  static constexpr unsigned chunk = Chunk < Run ? Chunk : Run;
  static constexpr unsigned gap = Chunk < Run || Chunk == 0 ? 1 : Chunk / Run;
  static constexpr unsigned together = Chunk == 0 ? 16 : gap == 1 ? Chunk : 1; // that may be stored at once

  CUDA_TILE_CONSTEXPR static unsigned place(unsigned column) {
    if constexpr (Chunk == 0) {
      return column;
    } else {
      unsigned const group = column / (4 * Run), q = column / Run % 4, s = column % Run;
      return gap * (group * 4 * Run + s / chunk * 4 * chunk + q * chunk + s % chunk);
    }
  }
};

/// Stores Count elements, at most 16 bytes.
template <unsigned Count, typename E>
CUDA_TILE_API void store_elements(E* to, E const* from) {
  if constexpr (Count == 1)
    *to = *from;
  else
    platform::store_aligned<Count * sizeof(E)>(to, from);
}
/// The same as F.
template <typename F, unsigned Count, typename E>
CUDA_TILE_API void store_converted(F* to, E const* from) {
  if constexpr (is_same_v<E, F>) {
    detail::store_elements<Count>(to, from);
  } else {
    F values[Count];
    convert_all<Count>(values, from);
    detail::store_elements<Count>(to, values);
  }
}

/// Stores those of a tile's elements for which `wanted(i)`, at `place(i)`, Step neighbours at once. D says
/// which they are.
template <unsigned Step, typename D, typename To, typename T, typename Wanted, typename Place>
CUDA_TILE_API void stage(To to, T const& from, Wanted wanted, Place place) {
  unsigned const t = platform::thread(), own = place(D::index(t, 0));
  if (!D::first(t))
    return;
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < D::slots; s += Step)
    if (wanted(D::index(t, s))) {
      store_converted<typename To::element_type, Step>(to.element(own, place(D::index(0, s))),
                                                       from.slots + s);
      asm volatile("" : : : "memory"); // or NVRTC takes its time to look whether later stores undo this one
    }
}

/// Columns [K0, K0 + Width) of the left operand, row by row and batch by batch.
template <unsigned K0, unsigned Width, typename F, typename T>
CUDA_TILE_API void stage_left(staged_matrix<F, Width> to, T const& from) {
  using D = typename T::distribution;
  constexpr unsigned columns = matrix<T>::columns;
  detail::stage<least(D::vector, to.per_segment), D>(
      to, from, [](unsigned i) { return i % columns / Width == K0 / Width; },
      [](unsigned i) { return staged_matrix<F, Width>::place(i / columns, i % Width); });
}

/// result = acc + lhs rhs, as Way multiplies what is staged. As much of the inner dimension is staged at a
/// time as fits.
template <typename Way, typename P>
struct staged_product {
  using left_type = typename Way::left;
  using sum = typename Way::sum;
  using right_staging = typename Way::template right_staging<P>;

  CUDA_TILE_CONSTEXPR static unsigned left_elements(unsigned width) { return P::left_batches * P::m * width; }
  CUDA_TILE_CONSTEXPR static size_t bytes(unsigned width) {
    return left_elements(width) * sizeof(left_type) +
           right_staging::elements(width) * sizeof(typename Way::right);
  }
  /// The part of the inner dimension that fits in shared memory; 0 if too little does.
  CUDA_TILE_CONSTEXPR static unsigned find_width() {
    unsigned w = P::inner;
    while (w >= Way::depth && bytes(w) > platform::scratch_limit)
      w /= 2;
    return w < Way::depth ? 0 : w;
  }
  static constexpr unsigned width = find_width();

  template <unsigned K0, typename L, typename R>
  CUDA_TILE_API static void add_parts(sum* sums, L const& lhs, R const& rhs) {
    staged_matrix<left_type, width> left{static_cast<left_type*>(platform::scratch<bytes(width)>())};
    typename right_staging::template matrix<width> right{
        reinterpret_cast<typename Way::right*>(left.at + left_elements(width))};
    platform::barrier();
    stage_left<K0>(left, lhs);
    right_staging::template stage<K0, width>(right, rhs);
    platform::barrier();
    Way::template multiply<P>(sums, left, right);
    if constexpr (K0 + width < P::inner)
      add_parts<K0 + width>(sums, lhs, rhs);
  }

  template <typename A, typename L, typename R>
  CUDA_TILE_API static void add_to(A& result, L const& lhs, R const& rhs) {
    if constexpr (is_same_v<sum, typename A::element_type>)
      return add_parts<0>(result.slots, lhs, rhs);
    constexpr unsigned slots = A::distribution::slots;
    sum sums[slots];
    CUDA_TILE_UNROLL
    for (unsigned s = 0; s < slots; ++s)
      sums[s] = detail::convert<sum>(result.slots[s]);
    add_parts<0>(sums, lhs, rhs);
    CUDA_TILE_UNROLL
    for (unsigned s = 0; s < slots; ++s)
      result.slots[s] = detail::convert<typename A::element_type>(sums[s]);
  }
};

/// Whether Way multiplies tiles L and R into A, held as distribute_matrix says: at least 16 rows of each
/// batch, 8 columns, and an inner dimension as long as Way takes.
template <typename Way, typename L, typename R, typename A>
CUDA_TILE_CONSTEXPR bool multiplies_staged() {
  using P = product<L, R, A>;
  if constexpr (!is_matrix(P::rows, P::columns, platform::block_threads) || P::m < 16 || P::columns < 8 ||
                P::inner < Way::depth)
    return false;
  else
    return staged_product<Way, P>::width != 0;
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
