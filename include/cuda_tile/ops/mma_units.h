// Matrix products by matrix instructions, with several threads a block. Accumulators are fragments as they
// are distributed (tile/distribution_bits.h); both operands pass through shared memory.
#pragma once

#include "cuda_tile/ops/mma_staging.h"
#include "cuda_tile/ops/mma_unit_table.h"

namespace cuda::tiles::detail {

/// Multiplies elements L and R by instructions of `unit`. Which of the inner dimension's cells meet in an
/// instruction, and which columns, is free where both operands agree.
template <typename L, typename R>
struct multiply_by_units {
  using unit = matrix_unit<L, R>;
  using left = typename unit::left;
  using right = typename unit::right;
  using sum = typename unit::sum;
  using cell = typename unit::cell;
  static constexpr unsigned depth = unit::depth;
  static constexpr unsigned chunk = unit::load == right_load::words ? 0 : unit::per_cell;

  CUDA_TILE_CONSTEXPR static unsigned row_place(unsigned k) {
    return unit::load == right_load::transposed_bytes ? k_place(k) : k;
  }

  /// Of `run` neighbouring columns a lane has the two of each of run / 2 instructions. Where a load gives a
  /// lane what `Neighbours` instructions multiply, these take neighbouring columns.
  template <typename P>
  static constexpr unsigned neighbours =
      unit::load == right_load::transposed_pairs
          ? 1
          : least(P::run / 2, unit::load == right_load::words ? 16 / sizeof(cell) : 2);
  /// How many instructions a load serves.
  template <typename P>
  static constexpr unsigned served =
      unit::load == right_load::transposed_pairs ? least(P::run / 2, 2) : neighbours<P>;

  /// The slot of a row in which column e (0 or 1) of instruction n is.
  template <typename P>
  CUDA_TILE_CONSTEXPR static unsigned slot(unsigned n, unsigned e) {
    constexpr unsigned v = neighbours<P>;
    return n / v * 2 * v + e * v + n % v;
  }

  /// Where lane `lane` finds its part of 16 rows from `row`, 8 cells from k: registers 0 to 3 of ldmatrix.
  CUDA_TILE_CONSTEXPR static unsigned left_row(unsigned row, unsigned lane) { return row + lane % 16; }
  CUDA_TILE_CONSTEXPR static unsigned left_k(unsigned k, unsigned lane) {
    return k + lane / 16 * 4 * unit::per_cell;
  }
  /// The same of cell i, where it is loaded by itself.
  CUDA_TILE_CONSTEXPR static unsigned cell_row(unsigned row, unsigned lane, unsigned i) {
    return row + lane / 4 + i % 2 * 8;
  }
  CUDA_TILE_CONSTEXPR static unsigned cell_k(unsigned k, unsigned lane, unsigned i) {
    return k + lane % 4 + i / 2 * 4;
  }

  template <typename Staged>
  CUDA_TILE_API static void load_left(cell (&a)[4], Staged from, unsigned row, unsigned k) {
    if constexpr (sizeof(cell) == 4) {
      platform::load_matrices<4, false>(a, [&](unsigned lane) -> void const* {
        return from.element(left_row(row, lane), left_k(k, lane));
      });
    } else {
      unsigned const lane = platform::thread() % 32;
      CUDA_TILE_UNROLL
      for (unsigned i = 0; i < 4; ++i)
        a[i] = *from.element(cell_row(row, lane, i), cell_k(k, lane, i));
    }
  }

  /// Where lane `lane` finds its part of `depth` rows from k, for instruction n of the columns from `column`.
  template <typename P>
  CUDA_TILE_CONSTEXPR static unsigned right_row(unsigned k, unsigned lane) {
    return unit::load == right_load::words              ? k + lane % 4
           : unit::load == right_load::transposed_bytes ? k + lane
                                                        : k + lane % 16;
  }
  template <typename P>
  CUDA_TILE_CONSTEXPR static unsigned right_column(unsigned column, unsigned n, unsigned lane) {
    constexpr unsigned per_run = P::run / 2;
    if constexpr (unit::load == right_load::words) {
      unsigned const g = lane / 4;
      return column + n / per_run * 4 * P::run + g / 2 * P::run + slot<P>(n % per_run, g % 2);
    } else if constexpr (unit::load == right_load::transposed_bytes) {
      return (column + n * 8) * column_order<chunk, P::run>::gap;
    } else {
      return column + (n + lane / 16) * 8;
    }
  }

  /// The cells of `served` instructions from n on: two of each.
  template <typename P, typename Staged>
  CUDA_TILE_API static void load_right(cell (&b)[served<P>][2], Staged from, unsigned k, unsigned column,
                                       unsigned n) {
    auto const address = [&](unsigned lane) -> void const* {
      return from.element(right_row<P>(k, lane), right_column<P>(column, n, lane));
    };
    if constexpr (unit::load == right_load::transposed_pairs) {
      platform::load_matrices<2 * served<P>, true>(&b[0][0], address);
    } else if constexpr (unit::load == right_load::transposed_bytes) {
      unsigned pairs[4];
      platform::load_matrices<4, true>(pairs, address);
      CUDA_TILE_UNROLL
      for (unsigned j = 0; j < served<P>; ++j)
        CUDA_TILE_UNROLL
      for (unsigned i = 0; i < 2; ++i)
        b[j][i] = platform::select_bytes(pairs[2 * i], pairs[2 * i + 1], j == 0 ? 0x6420 : 0x7531);
    } else {
      unsigned const lane = platform::thread() % 32;
      CUDA_TILE_UNROLL
      for (unsigned i = 0; i < 2; ++i) {
        cell row[served<P>];
        platform::load_aligned<served<P> * sizeof(cell)>(
            row, from.element(right_row<P>(k + 4 * i, lane), right_column<P>(column, n, lane)));
        CUDA_TILE_UNROLL
        for (unsigned j = 0; j < served<P>; ++j)
          b[j][i] = row[j];
      }
    }
  }

  /// sums += left right, of what is staged.
  template <typename P, typename Left, typename Right>
  CUDA_TILE_API static void multiply(sum* sums, Left from_left, Right from_right) {
    constexpr unsigned width = Left::columns, count = served<P>;
    unsigned const warp = platform::thread() / 32, column = P::column(warp);
    CUDA_TILE_UNROLL
    for (unsigned first = 0; first < P::row_blocks; first += P::together) {
      unsigned const right_begin = P::right_batch(P::row(warp, first)) * width;
      CUDA_TILE_UNROLL
      for (unsigned k = 0; k < width; k += depth) {
        cell a[P::together][4];
        CUDA_TILE_UNROLL
        for (unsigned r = 0; r < P::together; ++r)
          load_left(a[r], from_left, P::left_row(P::row(warp, first + r)), k);
        CUDA_TILE_UNROLL
        for (unsigned n = 0; n < P::column_blocks; n += count) {
          cell b[count][2];
          load_right<P>(b, from_right, right_begin + k, column, n);
          CUDA_TILE_UNROLL
          for (unsigned j = 0; j < count; ++j)
            CUDA_TILE_UNROLL
          for (unsigned r = 0; r < P::together; ++r)
            multiply_block<P>(sums, first + r, n + j, a[r], b[j]);
        }
      }
    }
  }

  template <typename P>
  CUDA_TILE_API static void multiply_block(sum* sums, unsigned block, unsigned n, cell const (&a)[4],
                                           cell const (&b)[2]) {
    sum d[4];
    CUDA_TILE_UNROLL
    for (unsigned i = 0; i < 4; ++i)
      d[i] = sums[P::slot(block, i / 2) + slot<P>(n, i % 2)];
    platform::multiply_matrices<left, right>(d, a, b);
    CUDA_TILE_UNROLL
    for (unsigned i = 0; i < 4; ++i)
      sums[P::slot(block, i / 2) + slot<P>(n, i % 2)] = d[i];
  }
};

/// Whether matrix instructions compute mma(L, R, A).
template <typename L, typename R, typename A>
CUDA_TILE_CONSTEXPR bool uses_matrix_unit() {
  using LE = typename L::element_type;
  using RE = typename R::element_type;
  if constexpr (!matrix_unit<LE, RE>::exists)
    return false;
  else
    return multiplies_staged<multiply_by_units<LE, RE>, L, R, A>();
}

template <typename L, typename R, typename A>
CUDA_TILE_API void multiply_with_unit(A& result, L const& lhs, R const& rhs) {
  using way = multiply_by_units<typename L::element_type, typename R::element_type>;
  staged_product<way, product<L, R, A>>::add_to(result, lhs, rhs);
}

} // namespace cuda::tiles::detail
