// Operands of warp groups in memory that the block shares: as wgmma takes them, and so that the threads of a
// warp meet in no bank.
#pragma once

#include "cuda_tile/ops/mma_staging.h"
#include "cuda_tile/threads/open.h"

#if CUDA_TILE_WARP_GROUPS

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// Rows of E in shared memory as instructions take them with swizzling (PTX 9.7.15.5.1.2): blocks of `line`
/// bytes of all rows, whose segments of 16 bytes change places from row to row. Lines are 64 bytes, of which
/// two are all banks and change places every two rows; of elements of 4 bytes 128, every row. So neither one
/// segment of 8 rows nor all segments of a line meet in a bank. Places are linear, as those of staged_matrix.
template <typename E, unsigned Rows, unsigned Columns>
struct group_matrix {
  using element_type = E;
  static constexpr unsigned line = sizeof(E) == 4 ? 128 : 64, per_line = line / sizeof(E),
                            per_segment = 16 / sizeof(E), segments = line / 16;
  static constexpr unsigned block_bytes = Rows * line, bytes = Columns / per_line * block_bytes;
  static_assert(Rows % 8 == 0 && Columns % per_line == 0 && bytes % 1024 == 0);
  E* at;

  CUDA_TILE_CONSTEXPR static unsigned place(unsigned row, unsigned column) {
    unsigned const segment = (column / per_segment ^ row / (128 / line)) % segments;
    return (column / per_line * Rows + row) * per_line + segment * per_segment + column % per_segment;
  }
  CUDA_TILE_API E* element(unsigned place, unsigned constant) const {
    return at + (place ^ constant % per_line) + constant / per_line * per_line;
  }

  /// Describes what begins at a row that is a multiple of 8 and a column of which 32 bytes are one, or a
  /// whole line if the columns are not the inner dimension. PTX 9.7.15.5.1.2.2: bits 62 and 63 are the
  /// swizzling; the pattern begins at a multiple of 1024 bytes, so that bits 49 to 51 are 0; distances are
  /// those of 8 rows, and of lines of one row where the columns are not the inner dimension.
  CUDA_TILE_API unsigned long long descriptor(unsigned row, unsigned column) const {
    constexpr unsigned long long swizzled = (line == 128 ? 1ull : 2ull) << 62, eight_rows = 8 * line >> 4;
    unsigned const first = platform::shared_address(at) + column / per_line * block_bytes + row * line +
                           column % per_line * static_cast<unsigned>(sizeof(E));
    return swizzled | eight_rows << 32 | static_cast<unsigned long long>(block_bytes >> 4) << 16 |
           (first & 0x3ffff) >> 4;
  }
};

/// The order in which both operands have the inner dimension: of bytes, a thread's 8 neighbours of each 32
/// (threads/distribution_bits.h) lie beside those of the next 32, so that they fill a segment.
template <typename E>
CUDA_TILE_CONSTEXPR unsigned inner_place(unsigned k) {
  return sizeof(E) != 1 ? k : (k & ~63u) | (k & 24) << 1 | (k & 32) >> 2 | (k & 7);
}

/// The order in which the right operand has the product's columns, of which each thread sums 8 neighbours:
/// two of each of the instruction's groups of 8. Those two are neighbours, or with Turned every second: so
/// bytes that stage_words stores meet in no bank.
template <bool Turned>
struct dealt_columns {
  /// The bits 0 and 1 of a column interchanged.
  CUDA_TILE_CONSTEXPR static unsigned turned(unsigned column) {
    return !Turned ? column : (column & ~3u) | (column & 1) << 1 | (column >> 1 & 1);
  }
  CUDA_TILE_CONSTEXPR static unsigned place(unsigned column) {
    return column_order<2, 8>::place(turned(column));
  }
  /// Which of a thread's columns is sum i of a row, in the instruction's order.
  CUDA_TILE_CONSTEXPR static unsigned held(unsigned i) { return turned(i); }
};
struct all_rows {
  CUDA_TILE_CONSTEXPR static unsigned place(unsigned row) { return row; }
};

/// How an operand is staged whose dimension beside the inner one is ordered as Others say. InnerRows: whether
/// rows held, of shape S, are those of the inner dimension; Turn: whether they become columns. [K0, K0 +
/// Width) of the inner dimension is staged.
template <typename To, typename S, bool InnerRows, bool Turn, typename Others, unsigned K0, unsigned Width>
struct group_staging {
  using E = typename To::element_type;
  using D = distribution_of<S>;
  static constexpr unsigned columns = static_cast<unsigned>(row_length<S>());
  /// Bytes are turned a word at a time.
  static constexpr bool by_words = Turn && sizeof(E) == 1 && D::vector >= 4;

  CUDA_TILE_CONSTEXPR static unsigned find_step() {
    if (InnerRows)
      return Turn ? 1 : is_same_v<Others, all_rows> ? least(D::vector, To::per_segment) : 2;
    if (sizeof(E) == 1 && D::vector == 8 && D::slots >= 16 && D::index(0, 8) == 32)
      return 16; // inner_place
    return least(D::vector, To::per_segment);
  }
  static constexpr unsigned step = find_step();

  CUDA_TILE_CONSTEXPR static bool wanted(unsigned i) {
    return (InnerRows ? i / columns : i % columns) / Width == K0 / Width;
  }
  CUDA_TILE_CONSTEXPR static unsigned place(unsigned i) {
    unsigned const row = i / columns, column = i % columns;
    if (!InnerRows)
      return To::place(Others::place(row), inner_place<E>(column % Width));
    return Turn ? To::place(Others::place(column), inner_place<E>(row % Width))
                : To::place(row % Width, Others::place(column));
  }

  /// The first of the two elements that thread t stores of what four threads hold in slots [slot, slot + 4):
  /// it gets those of rows 2 q and 2 q + 1 of each 8, in two columns (PTX 9.7.14.5.17, movmatrix).
  CUDA_TILE_CONSTEXPR static unsigned turned_index(unsigned t, unsigned slot) {
    return D::index((t & ~31u) | (t & 3) << 3 | (t >> 3 & 3), slot | (t >> 2 & 1) << 1);
  }

  template <typename T>
  CUDA_TILE_API static void stage_words(To to, T const& from) {
    unsigned const t = platform::thread(), own = place(turned_index(t, 0));
    CUDA_TILE_UNROLL
    for (unsigned s = 0; s < D::slots; s += 4) {
      E const four[4] = {from.slots[s], from.slots[s + 1], from.slots[s + 2], from.slots[s + 3]};
      unsigned word = platform::transpose_matrix(platform::bit_cast<unsigned>(four));
      if (!D::first(t) || !wanted(turned_index(t, s)))
        continue;
      word = platform::select_bytes(word, 0, 0x3120);
      CUDA_TILE_UNROLL
      for (unsigned e = 0; e < 2; ++e) {
        unsigned short const pair = static_cast<unsigned short>(word >> 16 * e);
        platform::store_aligned<2>(to.element(own, place(D::index(0, s + e))), &pair);
      }
    }
  }

  template <typename T>
  CUDA_TILE_API static void run(To to, T const& from) {
    if constexpr (by_words)
      stage_words(to, from);
    else
      detail::stage<step, D>(to, from, wanted, place);
  }
};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail

#endif
