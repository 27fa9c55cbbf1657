// Matrix products by fused multiply-add, with several threads a block: for everything that no matrix
// instruction multiplies. Each thread multiplies a block of rows and columns, from operands in shared memory.
#pragma once

#include "cuda_tile/threads/exchange.h"
#include "cuda_tile/threads/mma/fma_narrow.h"
#include "cuda_tile/threads/mma/k_loop.h"
#include "cuda_tile/threads/mma/right_fragments.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// A thread's share of the accumulators while they are multiplied: 2 rows of each row fragment of a warp, and
/// runs of columns. A register takes as long to load as 4 products to compute, so a share should be about
/// square: where it is wide, lanes 4 g + q that differ in the last bit of g trade halves of each run of 8
/// columns for rows.
template <typename C, typename W>
struct fma_share {
  static constexpr bool exchanges =
      sizeof(C) == 4 && W::run == 8 && W::k >= 16 && W::per_row >= 16 * W::fragments_of_batch;
  static constexpr unsigned rows = exchanges ? 2 : 1;     // neighbours
  static constexpr unsigned lane_bit = exchanges ? 4 : 0; // changes places with the same bit of the slot

  /// Changes between the two distributions.
  CUDA_TILE_API static void exchange(C* sums) {
    if constexpr (exchanges)
      detail::exchange_with_lane<lane_bit, lane_bit, 2 * W::row_fragments * W::per_row>(sums);
  }
  /// A lane's first row in a fragment, and its first column.
  CUDA_TILE_CONSTEXPR static unsigned row(unsigned lane) { return lane / 4 & ~(rows - 1); }
  CUDA_TILE_CONSTEXPR static unsigned column(unsigned lane) {
    return lane % 4 * W::run | column_of_slot(lane & lane_bit);
  }
  /// The column of a slot within a row, relative to the thread's first column.
  CUDA_TILE_CONSTEXPR static unsigned column_of_slot(unsigned s) {
    return s / W::run * 4 * W::run + s % W::run;
  }
};

/// Multiplies and sums as C. A thread loads segments of 16 bytes, along the inner dimension and along
/// columns. See k_loop.h.
template <typename C, typename W>
struct fma_product : synchronous_product {
  using sum = C;
  static constexpr unsigned least_slice = 16 / sizeof(C); // a segment
  using fragments = load_words<C>;
  using left_staging = staged_left<C, W>;
  using right_staging = staged_rows<C, fragments, W>;
  using share = fma_share<C, W>;

  template <unsigned Slice, typename Left, typename Right>
  CUDA_TILE_API static void multiply(C* sums, Left from_left, Right from_right) {
    unsigned const warp = platform::thread() / 32, lane = platform::thread() % 32, row = W::row(warp, 0);
    unsigned const left_place = Left::place(W::left_row(row + share::row(lane)), 0);
    unsigned const right_place =
        Right::place(W::right_batch(row) * Slice, W::column(warp) + share::column(lane));
    share::exchange(sums);
    CUDA_TILE_UNROLL
    for (unsigned first = 0; first < W::row_fragments; first += W::fragments_of_batch) {
      CUDA_TILE_NO_UNROLL
      for (unsigned k = 0; k < Slice; k += least_slice)
        add_segment(sums, from_left, left_place ^ Left::place(0, k), from_right,
                    right_place ^ Right::place(k, 0), first, W::right_batch(W::row(0, first)) * Slice);
    }
    share::exchange(sums);
  }

  /// Adds the products of one segment of the inner dimension, for the row fragments of a batch from `first`
  /// on.
  template <typename Left, typename Right>
  CUDA_TILE_API static void add_segment(C* sums, Left from_left, unsigned left_place, Right from_right,
                                        unsigned right_place, unsigned first, unsigned right_row) {
    constexpr unsigned depth = least_slice;
    constexpr unsigned rows = 2 * W::fragments_of_batch * share::rows,
                       columns = detail::least(W::run, depth); // at once
    C a[rows][depth];
    CUDA_TILE_UNROLL
    for (unsigned r = 0; r < rows; ++r) {
      unsigned const half = r / share::rows, of_fragment = half % 2 * 8 + r % share::rows;
      platform::load_aligned<16>(
          a[r], from_left.element(left_place,
                                  Left::place(W::left_row(W::row(0, first + half / 2)) + of_fragment, 0)));
    }
    CUDA_TILE_UNROLL
    for (unsigned i = 0; i < depth; ++i)
      CUDA_TILE_UNROLL
    for (unsigned s = 0; s < W::per_row; s += columns) {
      if ((s & share::lane_bit) != 0)
        continue;
      C b[columns];
      platform::load_aligned<sizeof b>(
          b, from_right.element(right_place, Right::place(right_row + i, share::column_of_slot(s))));
      CUDA_TILE_UNROLL
      for (unsigned r = 0; r < rows; ++r)
        CUDA_TILE_UNROLL
      for (unsigned j = 0; j < columns; ++j) {
        unsigned const half = r / share::rows;
        C& to = sums[W::slot(first + half / 2, half % 2) + (s | r % share::rows * 4) + j];
        to = detail::multiply_add<C>(a[r][i], b[j], to);
      }
    }
  }
};

namespace multiplications {

struct fma {
  static constexpr mma_unit unit = mma_unit::fma;

  template <typename L, typename R, typename A>
  CUDA_TILE_CONSTEXPR static bool takes() {
    return true;
  }

  template <typename L, typename R, typename A>
  CUDA_TILE_API static A multiply_add(L const& lhs, R const& rhs, A const& acc) {
    using W = warp_tile<L, R, A>;
    using product = fma_product<accumulator_t<typename A::element_type>, W>;
    A result = detail::normal(acc);
    auto const& left = detail::normal(lhs);
    auto const& right = detail::normal(rhs);
    if constexpr (is_staged<product, W>())
      k_loop<product, W>::add_to(result, left, right);
    else
      detail::add_narrow_product(result, left, right);
    return result;
  }
};

} // namespace multiplications
} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
