// How the accumulators of a matrix product are divided among the warps of a block and among a warp's threads
// (threads/distribution_bits.h). A fragment is what one instruction adds to: 16 rows and 8 columns.
#pragma once

#include "cuda_tile/tile/matrix.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// A warp's share of the product of tiles L and R that is added to A. Rows are numbered across all batches.
template <typename L, typename R, typename A>
struct warp_tile {
  using D = typename A::distribution;
  static constexpr unsigned batches = matrix<A>::batches;
  static constexpr unsigned left_batches = matrix<L>::batches, right_batches = matrix<R>::batches;
  static constexpr unsigned m = matrix<A>::rows, n = matrix<A>::columns, k = matrix<L>::columns;
  static constexpr unsigned rows = batches * m;

  static constexpr unsigned warps = D::threads / 32;
  static constexpr bool is_divided = rows >= 16 && warps != 0; // else nothing below is used
  static constexpr unsigned warps_by_rows = is_divided ? least(warps, rows / 16) : 1;
  static constexpr unsigned warps_by_columns = is_divided && n >= 8 ? least(warps / warps_by_rows, n / 8) : 1;
  /// Fragments of a warp, down and across.
  static constexpr unsigned row_fragments = rows / 16 / warps_by_rows;
  static constexpr unsigned column_fragments = n / 8 / warps_by_columns;
  /// How many accumulators of a row a thread holds, and how many of them are neighbours.
  static constexpr unsigned per_row = 2 * column_fragments, run = D::vector;
  /// How many row fragments belong to one batch, or share the right operand: they are multiplied by the same
  /// right fragments.
  static constexpr unsigned fragments_of_batch =
      right_batches == 1 ? row_fragments : (m / 16 < warps_by_rows ? 1 : m / 16 / warps_by_rows);

  /// The first row of a warp's fragment.
  CUDA_TILE_CONSTEXPR static unsigned row(unsigned warp, unsigned fragment) {
    return (fragment * warps_by_rows + warp % warps_by_rows) * 16;
  }
  CUDA_TILE_CONSTEXPR static unsigned column(unsigned warp) {
    return warp / warps_by_rows % warps_by_columns * column_fragments * 8;
  }
  /// The row of the left operand and the batch of the right one that produce a row of the product.
  CUDA_TILE_CONSTEXPR static unsigned left_row(unsigned row) {
    return left_batches == batches ? row : row % m;
  }
  CUDA_TILE_CONSTEXPR static unsigned right_batch(unsigned row) { return right_batches == 1 ? 0 : row / m; }
  /// The slot at which the accumulators of a row fragment's upper or lower 8 rows begin.
  CUDA_TILE_CONSTEXPR static unsigned slot(unsigned fragment, unsigned lower) {
    return (2 * fragment + lower) * per_row;
  }
};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
