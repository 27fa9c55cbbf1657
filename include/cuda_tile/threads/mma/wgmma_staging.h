// Operands of warp groups in memory that the block shares: swizzled as wgmma expects them, which is also free
// of bank conflicts.
#pragma once

#include "cuda_tile/threads/mma/staging.h"
#include "cuda_tile/threads/open.h"

#if CUDA_TILE_WARP_GROUPS // saves compilers from parsing what no kernel can use

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// Rows of E in shared memory with the swizzling of instructions (PTX 9.7.15.5.1.2): blocks of `line` bytes
/// of all rows, whose segments of 16 bytes change places from row to row. Lines have 64 bytes, so that two of
/// them span all banks, and segments change places every two rows; for elements of 4 bytes, lines have 128
/// bytes and segments change places every row. So accesses to one segment of 8 rows and to all segments of a
/// line are both free of bank conflicts. Places are linear, like those of swizzled_matrix.
template <typename E, unsigned Rows, unsigned Columns>
struct wgmma_matrix {
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

  /// The descriptor of a matrix that begins at a row that is a multiple of 8, and at a column that begins 32
  /// bytes, or a whole line if the columns are not the inner dimension. PTX 9.7.15.5.1.2.2: bits 62 and 63
  /// are the swizzling; the pattern begins at a multiple of 1024 bytes, so that bits 49 to 51 are 0; the
  /// distances are those of 8 rows, and of the lines of one row where the columns are not the inner
  /// dimension.
  CUDA_TILE_API unsigned long long descriptor(unsigned row, unsigned column) const {
    constexpr unsigned long long swizzled = (line == 128 ? 1ull : 2ull) << 62, eight_rows = 8 * line >> 4;
    unsigned const first = platform::shared_address(at) + column / per_line * block_bytes + row * line +
                           column % per_line * static_cast<unsigned>(sizeof(E));
    return swizzled | eight_rows << 32 | static_cast<unsigned long long>(block_bytes >> 4) << 16 |
           (first & 0x3ffff) >> 4;
  }
};

/// The order of the inner dimension, which is the same for both operands. A thread's 8 neighbouring bytes of
/// each 32 (threads/distribution_bits.h) lie beside those of the next 32, so that they fill a segment.
template <typename E>
CUDA_TILE_CONSTEXPR unsigned inner_place(unsigned k) {
  return sizeof(E) != 1 ? k : (k & ~63u) | (k & 24) << 1 | (k & 32) >> 2 | (k & 7);
}

/// The order of the product's columns in the right operand. Each thread accumulates 8 neighbours, two in each
/// of the instruction's groups of 8. These two are neighbours, or every second column if Alternate, which
/// keeps the stores of stage_words free of bank conflicts.
template <bool Alternate>
struct interleaved_columns {
  /// A column with its bits 0 and 1 interchanged.
  CUDA_TILE_CONSTEXPR static unsigned alternated(unsigned column) {
    return !Alternate ? column : (column & ~3u) | (column & 1) << 1 | (column >> 1 & 1);
  }
  CUDA_TILE_CONSTEXPR static unsigned place(unsigned column) {
    return interleave<2, 8>::place(alternated(column));
  }
  /// Which of a thread's columns sum i of a row belongs to, in the instruction's order.
  CUDA_TILE_CONSTEXPR static unsigned held(unsigned i) { return alternated(i); }
};
/// The order of the product's rows in the left operand.
struct all_rows {
  CUDA_TILE_CONSTEXPR static unsigned place(unsigned row) { return row; }
};

/// How the k-slice [K0, K0 + Slice) of an operand of shape S is staged, in the form in which it is held.
/// KRows: whether the rows held are those of the inner dimension; Transpose: whether they become columns.
/// Others is the order of the other dimension.
template <typename To, typename S, bool KRows, bool Transpose, typename Others, unsigned K0, unsigned Slice>
struct wgmma_staging {
  using E = typename To::element_type;
  using D = distribution_of<S>;
  static constexpr unsigned columns = static_cast<unsigned>(row_length<S>());
  /// Bytes are transposed a word at a time.
  static constexpr bool by_words = Transpose && sizeof(E) == 1 && D::vector >= 4;

  CUDA_TILE_CONSTEXPR static unsigned find_step() {
    if (KRows)
      return Transpose ? 1 : is_same_v<Others, all_rows> ? detail::least(D::vector, To::per_segment) : 2;
    if (sizeof(E) == 1 && D::vector == 8 && D::slots >= 16 && D::index(0, 8) == 32)
      return 16; // inner_place
    return detail::least(D::vector, To::per_segment);
  }
  static constexpr unsigned step = find_step();

  CUDA_TILE_CONSTEXPR static bool wanted(unsigned i) {
    return (KRows ? i / columns : i % columns) / Slice == K0 / Slice;
  }
  CUDA_TILE_CONSTEXPR static unsigned place(unsigned i) {
    unsigned const row = i / columns, column = i % columns;
    if (!KRows)
      return To::place(Others::place(row), inner_place<E>(column % Slice));
    return Transpose ? To::place(Others::place(column), inner_place<E>(row % Slice))
                     : To::place(row % Slice, Others::place(column));
  }

  /// Four threads hold elements in slots [slot, slot + 4); this is the first of the two that thread t stores.
  /// movmatrix gives it the elements of rows 2 q and 2 q + 1 of each 8, in two columns (PTX 9.7.14.5.17).
  CUDA_TILE_CONSTEXPR static unsigned transposed_lane_index(unsigned t, unsigned slot) {
    return D::index((t & ~31u) | (t & 3) << 3 | (t >> 3 & 3), slot | (t >> 2 & 1) << 1);
  }

  template <typename T>
  CUDA_TILE_API static void stage_words(To to, T const& from) {
    unsigned const t = platform::thread(), own = place(transposed_lane_index(t, 0));
    CUDA_TILE_UNROLL
    for (unsigned s = 0; s < D::slots; s += 4) {
      E const four[4] = {from.slots[s], from.slots[s + 1], from.slots[s + 2], from.slots[s + 3]};
      unsigned word = platform::transpose_matrix(platform::bit_cast<unsigned>(four));
      if (!D::first(t) || !wanted(transposed_lane_index(t, s)))
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

/// The staging of an operand for k_loop.h. Length: the length of the other dimension, in the given Order;
/// KIsColumns: whether neighbours in memory run along the inner dimension.
template <typename E, unsigned Length, typename Order, bool Transposed, bool KRows, bool KIsColumns>
struct staged_for_wgmma {
  template <unsigned Slice>
  using matrix = conditional_t<KIsColumns, wgmma_matrix<E, Length, Slice>, wgmma_matrix<E, Slice, Length>>;
  template <typename S>
  using held_shape = conditional_t<Transposed, transposed_shape<S>, S>;
  template <unsigned K0, unsigned Slice, typename T>
  using staging = wgmma_staging<matrix<Slice>, held_shape<typename T::shape_type>, KRows, KRows && KIsColumns,
                                Order, K0, Slice>;

  CUDA_TILE_CONSTEXPR static unsigned elements(unsigned slice) { return Length * slice; }

  template <unsigned K0, unsigned Slice, typename T>
  CUDA_TILE_API static void stage(matrix<Slice> to, T const& from) {
    staging<K0, Slice, T>::run(to, from);
  }
};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail

#endif
