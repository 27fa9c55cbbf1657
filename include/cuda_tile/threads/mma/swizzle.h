// Operands of matrix products in memory that the block shares: rows of segments of 16 bytes, whose places are
// swizzled so that a warp's accesses are free of bank conflicts.
#pragma once

#include "cuda_tile/threads/distribution_bits.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// Where segment `segment` of a row of `Segments` lies, in segments; 8 of them are all 32 banks. Bits of row
/// and segment are xor'ed into the last three so that those of these in any one column are independent:
///
///   row 0, 1, 2                        one segment of 8 rows: ldmatrix, and stores of 4 bytes
///   row 0, 1, 3                        the same of rows in the order of ldmatrix_bytes
///   row 0, segment 0, 1                2 rows of 4: stores of 8 halves
///   row 0, 1 (or 3), segment 0         4 rows of 2: loads of words, stores of 8 bytes (to columns)
///   row 0, segment 1, 2 (or 2, 3)      2 rows, every second (fourth) segment: stores of 8 floats (doubles)
template <unsigned Segments>
CUDA_TILE_CONSTEXPR unsigned swizzled(unsigned row, unsigned segment) {
  constexpr unsigned mask = Segments < 8 ? Segments - 1 : 7;
  unsigned const mixed = (row & 1) * 5 ^ (row & 2) ^ (row >> 2 & 1) ^ (row >> 3 & 1) * 3 ^ (segment >> 2 & 2);
  return row * Segments + (segment ^ (mixed & mask));
}

/// Places are linear over {0, 1}: the place of the exclusive or of two indices is the exclusive or of their
/// places. So a thread computes one place of its own and combines it with constants, of which the last bits
/// are xor'ed and the others added by the instruction that accesses memory.
template <typename E, unsigned Columns>
struct swizzled_matrix {
  using element_type = E;
  static constexpr unsigned columns = Columns, per_segment = 16 / sizeof(E), segments = Columns / per_segment;
  static_assert(Columns >= per_segment);
  E* at;

  /// The place of an element, counted in elements.
  CUDA_TILE_CONSTEXPR static unsigned place(unsigned row, unsigned column) {
    return swizzled<segments>(row, column / per_segment) * per_segment + column % per_segment;
  }
  /// The element whose row and column combine those of two places, which have no bits of either in common.
  CUDA_TILE_API E* element(unsigned place, unsigned constant) const {
    constexpr unsigned mixed = least(segments, 8) * per_segment - 1;
    return at + (place ^ (constant & mixed)) + (constant & ~mixed);
  }
};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
