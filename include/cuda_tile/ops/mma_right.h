// How the right operand of matrix instructions is staged and how it gets to registers: a lane's two cells for
// each 8 columns.
//
// A way to load says, for accumulators that lie in runs of Run neighbouring columns
// (threads/distribution_bits.h):
//   chunk        neighbours that stay together in a staged row (column_order)
//   neighbours   how many instructions take neighbouring columns: which columns are an instruction's is free
//   served       how many instructions a load fills the cells of
//   index        where a lane finds its part: k and column, from the first of the instruction
//   column       of instruction n
#pragma once

#include "cuda_tile/ops/mma_staging.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

struct staged_index {
  unsigned k, column;
};

/// Elements of 16 bits, staged row by row of the inner dimension: ldmatrix transposes them.
struct load_pairs {
  static constexpr unsigned chunk = 2;
  template <unsigned Run>
  static constexpr unsigned neighbours = 1;
  template <unsigned Run>
  static constexpr unsigned served = least(Run / 2, 2);

  template <unsigned Run>
  CUDA_TILE_CONSTEXPR static staged_index index(unsigned lane) {
    return {lane % 16, lane / 16 * 8};
  }
  template <unsigned Run>
  CUDA_TILE_CONSTEXPR static unsigned column(unsigned n) {
    return n * 8;
  }
  CUDA_TILE_CONSTEXPR static unsigned row_place(unsigned k) { return k; }

  template <unsigned Served, typename Cell, typename Address>
  CUDA_TILE_API static void load(Cell (&b)[Served][2], Address address) {
    platform::load_matrices<2 * Served, true>(&b[0][0], [&](unsigned lane) { return address(lane, 0); });
  }
};

/// Elements of 8 bits, likewise: ldmatrix moves pairs of columns, whose bytes then change places.
struct load_bytes {
  static constexpr unsigned chunk = 4;
  template <unsigned Run>
  static constexpr unsigned neighbours = least(Run / 2, 2);
  template <unsigned Run>
  static constexpr unsigned served = neighbours<Run>;

  template <unsigned Run>
  CUDA_TILE_CONSTEXPR static staged_index index(unsigned lane) {
    return {lane, 0};
  }
  template <unsigned Run>
  CUDA_TILE_CONSTEXPR static unsigned column(unsigned n) {
    return n * 8 * column_order<chunk, Run>::gap;
  }
  /// A lane gets rows 2 q and 2 q + 1 of each 8, and its cells are to hold rows 4 q to 4 q + 3.
  CUDA_TILE_CONSTEXPR static unsigned row_place(unsigned k) {
    return (k & ~15u) | (k & 1) | (k >> 1 & 6) | (k << 2 & 8);
  }

  template <unsigned Served, typename Cell, typename Address>
  CUDA_TILE_API static void load(Cell (&b)[Served][2], Address address) {
    unsigned pairs[4];
    platform::load_matrices<4, true>(pairs, [&](unsigned lane) { return address(lane, 0); });
    CUDA_TILE_UNROLL
    for (unsigned j = 0; j < Served; ++j)
      CUDA_TILE_UNROLL
    for (unsigned i = 0; i < 2; ++i)
      b[j][i] = platform::select_bytes(pairs[2 * i], pairs[2 * i + 1], j == 0 ? 0x6420 : 0x7531);
  }
};

/// Elements that are a cell, likewise: neighbouring columns, of up to 16 bytes, at once.
template <typename C>
struct load_words {
  static constexpr unsigned chunk = 0;
  template <unsigned Run>
  static constexpr unsigned neighbours = least(Run / 2, 16 / sizeof(C));
  template <unsigned Run>
  static constexpr unsigned served = neighbours<Run>;

  template <unsigned Run>
  CUDA_TILE_CONSTEXPR static staged_index index(unsigned lane) {
    return {lane % 4, lane / 8 * Run + lane / 4 % 2 * neighbours<Run>};
  }
  template <unsigned Run>
  CUDA_TILE_CONSTEXPR static unsigned column(unsigned n) {
    constexpr unsigned per_run = Run / 2;
    return n / per_run * 4 * Run + n % per_run * 2;
  }
  CUDA_TILE_CONSTEXPR static unsigned row_place(unsigned k) { return k; }

  template <unsigned Served, typename Cell, typename Address>
  CUDA_TILE_API static void load(Cell (&b)[Served][2], Address address) {
    CUDA_TILE_UNROLL
    for (unsigned i = 0; i < 2; ++i) {
      Cell cells[Served];
      platform::load_aligned<Served * sizeof(Cell)>(cells, address(platform::thread() % 32, 4 * i));
      CUDA_TILE_UNROLL
      for (unsigned j = 0; j < Served; ++j)
        b[j][i] = cells[j];
    }
  }
};

/// Of a transposed operand, staged column by column, as the left one is row by row: all types alike.
template <typename C, unsigned PerCell>
struct load_columns {
  static constexpr unsigned chunk = 2;
  template <unsigned Run>
  static constexpr unsigned neighbours = 1;
  template <unsigned Run>
  static constexpr unsigned served = sizeof(C) == 4 ? least(Run / 2, 2) : 1;

  template <unsigned Run>
  CUDA_TILE_CONSTEXPR static staged_index index(unsigned lane) {
    if constexpr (sizeof(C) == 4)
      return {lane / 8 % 2 * 4 * PerCell, lane / 16 * 8 + lane % 8};
    else
      return {lane % 4, lane / 4};
  }
  template <unsigned Run>
  CUDA_TILE_CONSTEXPR static unsigned column(unsigned n) {
    return n * 8;
  }

  template <unsigned Served, typename Cell, typename Address>
  CUDA_TILE_API static void load(Cell (&b)[Served][2], Address address) {
    if constexpr (sizeof(Cell) == 4) {
      platform::load_matrices<2 * Served, false>(&b[0][0], [&](unsigned lane) { return address(lane, 0); });
    } else {
      b[0][0] = *address(platform::thread() % 32, 0);
      b[0][1] = *address(platform::thread() % 32, 4);
    }
  }
};

/// Rows of the inner dimension, batch by batch.
template <typename F, typename Load, typename P>
struct staged_rows {
  using order = column_order<Load::chunk, P::run>;
  static constexpr unsigned row_length = P::columns * order::gap;
  template <unsigned Width>
  using matrix = staged_matrix<F, row_length>;

  CUDA_TILE_CONSTEXPR static unsigned elements(unsigned width) {
    return P::right_batches * width * row_length;
  }
  /// Of row k of `Width`, and a column in the order of staged ones.
  template <unsigned Width>
  CUDA_TILE_CONSTEXPR static unsigned place(unsigned batch, unsigned k, unsigned column) {
    return matrix<Width>::place(batch * Width + k, column);
  }
  /// Rows [K0, K0 + Width).
  template <unsigned K0, unsigned Width, typename T>
  CUDA_TILE_API static void stage(matrix<Width> to, T const& from) {
    using D = typename T::distribution;
    detail::stage<least(D::vector, least(to.per_segment, order::together)), D>(
        to, from, [](unsigned i) { return i / P::columns % P::inner / Width == K0 / Width; },
        [](unsigned i) {
          unsigned const row = i / P::columns;
          return place<Width>(row / P::inner, Load::row_place(row % Width), order::place(i % P::columns));
        });
  }
};

/// Columns, of a transposed operand, batch by batch.
template <typename F, typename Load, typename P>
struct staged_columns {
  using order = column_order<Load::chunk, P::run>;
  template <unsigned Width>
  using matrix = staged_matrix<F, Width>;

  CUDA_TILE_CONSTEXPR static unsigned elements(unsigned width) {
    return P::right_batches * P::columns * width;
  }
  template <unsigned Width>
  CUDA_TILE_CONSTEXPR static unsigned place(unsigned batch, unsigned k, unsigned column) {
    return matrix<Width>::place(batch * P::columns + column, k);
  }
  template <unsigned K0, unsigned Width, typename T>
  CUDA_TILE_API static void stage(matrix<Width> to, T const& from) {
    using D = distribution_of<transposed_shape<typename T::shape_type>>;
    detail::stage<least(D::vector, to.per_segment), D>(
        to, from, [](unsigned i) { return i % P::inner / Width == K0 / Width; },
        [](unsigned i) {
          unsigned const row = i / P::inner;
          return place<Width>(row / P::columns, i % Width, order::place(row % P::columns));
        });
  }
};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
