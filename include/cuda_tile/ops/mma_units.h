// Matrix products by matrix instructions, with several threads a block. Accumulators are fragments as they
// are distributed (tile/distribution_bits.h); both operands pass through shared memory.
#pragma once

#include "cuda_tile/ops/mma_staging.h"
#include "cuda_tile/ops/mma_unit_table.h"

namespace cuda::tiles::detail {

struct staged_index {
  unsigned row, column;
};

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

  /// Where a lane finds its part of 16 rows of 8 cells: one of 4 by itself, or for ldmatrix.
  CUDA_TILE_CONSTEXPR static staged_index left_index(unsigned lane) {
    if constexpr (sizeof(cell) == 4)
      return {lane % 16, lane / 16 * 4 * unit::per_cell};
    else
      return {lane / 4, lane % 4};
  }
  /// Where it finds its part of `depth` rows, and of the first columns of a warp.
  template <typename P>
  CUDA_TILE_CONSTEXPR static staged_index right_index(unsigned lane) {
    if constexpr (unit::load == right_load::words)
      return {lane % 4, lane / 8 * P::run + slot<P>(0, lane / 4 % 2)};
    else if constexpr (unit::load == right_load::transposed_bytes)
      return {lane, 0};
    else
      return {lane % 16, lane / 16 * 8};
  }
  /// By how many columns those of instruction n are farther.
  template <typename P>
  CUDA_TILE_CONSTEXPR static unsigned right_column(unsigned n) {
    constexpr unsigned per_run = P::run / 2;
    if constexpr (unit::load == right_load::words)
      return n / per_run * 4 * P::run + slot<P>(n % per_run, 0);
    else
      return n * 8 * column_order<chunk, P::run>::gap;
  }

  /// The cells of a warp's row block from k on.
  template <typename P, typename Staged>
  CUDA_TILE_API static void load_left(cell (&a)[4], Staged from, unsigned block, unsigned k) {
    unsigned const row = P::row(platform::thread() / 32, 0), step = P::left_row(P::row(0, block));
    auto const address = [&](unsigned lane, unsigned more_rows, unsigned more_k) {
      staged_index const own = left_index(lane);
      return from.element(from.place(P::left_row(row + own.row), own.column),
                          from.place(step + more_rows, k + more_k));
    };
    if constexpr (sizeof(cell) == 4) {
      platform::load_matrices<4, false>(a, [&](unsigned lane) -> void const* { return address(lane, 0, 0); });
    } else {
      CUDA_TILE_UNROLL
      for (unsigned i = 0; i < 4; ++i)
        a[i] = *address(platform::thread() % 32, i % 2 * 8, i / 2 * 4);
    }
  }

  /// The cells, two of each, of `served` instructions from n on, for the batch of a row block.
  template <typename P, typename Staged>
  CUDA_TILE_API static void load_right(cell (&b)[served<P>][2], Staged from, unsigned block, unsigned k,
                                       unsigned width, unsigned n) {
    unsigned const warp = platform::thread() / 32, row = P::right_batch(P::row(warp, 0)) * width,
                   step = P::right_batch(P::row(0, block)) * width;
    unsigned const column = P::column(warp) * column_order<chunk, P::run>::gap;
    auto const address = [&](unsigned lane, unsigned more_k) {
      staged_index const own = right_index<P>(lane);
      return from.element(from.place(row + own.row, column + own.column),
                          from.place(step + k + more_k, right_column<P>(n)));
    };
    auto const matrices = [&](unsigned lane) -> void const* { return address(lane, 0); };
    if constexpr (unit::load == right_load::transposed_pairs) {
      platform::load_matrices<2 * served<P>, true>(&b[0][0], matrices);
    } else if constexpr (unit::load == right_load::transposed_bytes) {
      unsigned pairs[4];
      platform::load_matrices<4, true>(pairs, matrices);
      CUDA_TILE_UNROLL
      for (unsigned j = 0; j < served<P>; ++j)
        CUDA_TILE_UNROLL
      for (unsigned i = 0; i < 2; ++i)
        b[j][i] = platform::select_bytes(pairs[2 * i], pairs[2 * i + 1], j == 0 ? 0x6420 : 0x7531);
    } else {
      CUDA_TILE_UNROLL
      for (unsigned i = 0; i < 2; ++i) {
        cell cells[served<P>];
        platform::load_aligned<served<P> * sizeof(cell)>(cells, address(platform::thread() % 32, 4 * i));
        CUDA_TILE_UNROLL
        for (unsigned j = 0; j < served<P>; ++j)
          b[j][i] = cells[j];
      }
    }
  }

  /// sums += left right, of what is staged.
  template <typename P, typename Left, typename Right>
  CUDA_TILE_API static void multiply(sum* sums, Left from_left, Right from_right) {
    constexpr unsigned width = Left::columns, count = served<P>;
    CUDA_TILE_UNROLL
    for (unsigned first = 0; first < P::row_blocks; first += P::together) {
      CUDA_TILE_UNROLL
      for (unsigned k = 0; k < width; k += depth) {
        cell a[P::together][4];
        CUDA_TILE_UNROLL
        for (unsigned r = 0; r < P::together; ++r)
          load_left<P>(a[r], from_left, first + r, k);
        CUDA_TILE_UNROLL
        for (unsigned n = 0; n < P::column_blocks; n += count) {
          cell b[count][2];
          load_right<P>(b, from_right, first, k, width, n);
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
