// Matrix products by matrix instructions, with several threads a block. Accumulators are fragments as they
// are distributed (threads/distribution_bits.h); both operands pass through shared memory.
#pragma once

#include "cuda_tile/ops/mma_unit_table.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// Multiplies elements L and R, of which the right ones may be in the transposed form (threads/transposed.h).
template <typename L, typename R, bool Transposed>
struct multiply_by_units {
  using unit = matrix_unit<L, R>;
  using left = typename unit::left;
  using right = typename unit::right;
  using sum = typename unit::sum;
  using cell = typename unit::cell;
  using right_load = typename unit::template load<Transposed>;
  static constexpr unsigned depth = unit::depth;

  template <typename P>
  using right_staging =
      conditional_t<Transposed, staged_columns<right, right_load, P>, staged_rows<right, right_load, P>>;

  /// The slot of a row in which column e (0 or 1) of instruction n is.
  template <typename P>
  CUDA_TILE_CONSTEXPR static unsigned slot(unsigned n, unsigned e) {
    constexpr unsigned v = right_load::template neighbours<P::run>;
    return n / v * 2 * v + e * v + n % v;
  }

  /// Where a lane finds its part of 16 rows of 8 cells, row and k: one of 4 by itself, or for ldmatrix.
  CUDA_TILE_CONSTEXPR static unsigned left_row(unsigned lane) {
    return sizeof(cell) == 4 ? lane % 16 : lane / 4;
  }
  CUDA_TILE_CONSTEXPR static unsigned left_k(unsigned lane) {
    return sizeof(cell) == 4 ? lane / 16 * 4 * unit::per_cell : lane % 4;
  }

  /// The cells of a warp's row block from k on.
  template <typename P, typename Staged>
  CUDA_TILE_API static void load_left(cell (&a)[4], Staged from, unsigned block, unsigned k) {
    unsigned const row = P::row(platform::thread() / 32, 0), step = P::left_row(P::row(0, block));
    auto const address = [&](unsigned lane, unsigned more_rows, unsigned more_k) {
      return from.element(from.place(P::left_row(row + left_row(lane)), left_k(lane)),
                          from.place(step + more_rows, k + more_k));
    };
    if constexpr (sizeof(cell) == 4) {
      platform::load_matrices<4, false>(a, [&](unsigned lane) { return address(lane, 0, 0); });
    } else {
      CUDA_TILE_UNROLL
      for (unsigned i = 0; i < 4; ++i)
        a[i] = *address(platform::thread() % 32, i % 2 * 8, i / 2 * 4);
    }
  }

  /// The cells, two of each, of the instructions from n on that a load serves, for the batch of a row block.
  template <typename P, unsigned Width, unsigned Served, typename Staged>
  CUDA_TILE_API static void load_right(cell (&b)[Served][2], Staged from, unsigned block, unsigned k,
                                       unsigned n) {
    using staging = right_staging<P>;
    unsigned const warp = platform::thread() / 32, batch = P::right_batch(P::row(warp, 0)),
                   column = P::column(warp) * column_order<right_load::chunk, P::run>::gap;
    right_load::load(b, [&](unsigned lane, unsigned more_k) {
      staged_index const own = right_load::template index<P::run>(lane);
      return from.element(staging::template place<Width>(batch, own.k, column + own.column),
                          staging::template place<Width>(P::right_batch(P::row(0, block)), k + more_k,
                                                         right_load::template column<P::run>(n)));
    });
  }

  /// sums += left right, of what is staged.
  template <typename P, typename Left, typename Right>
  CUDA_TILE_API static void multiply(sum* sums, Left from_left, Right from_right) {
    constexpr unsigned width = Left::columns, served = right_load::template served<P::run>;
    CUDA_TILE_UNROLL
    for (unsigned first = 0; first < P::row_blocks; first += P::together) {
      CUDA_TILE_UNROLL
      for (unsigned k = 0; k < width; k += depth) {
        cell a[P::together][4];
        CUDA_TILE_UNROLL
        for (unsigned r = 0; r < P::together; ++r)
          load_left<P>(a[r], from_left, first + r, k);
        CUDA_TILE_UNROLL
        for (unsigned n = 0; n < P::column_blocks; n += served) {
          cell b[served][2];
          load_right<P, width>(b, from_right, first, k, n);
          CUDA_TILE_UNROLL
          for (unsigned j = 0; j < served; ++j)
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
    sum *upper = sums + P::slot(block, 0), *lower = sums + P::slot(block, 1);
    unsigned const first = slot<P>(n, 0), second = slot<P>(n, 1);
    platform::multiply_matrices<left, right>(upper[first], upper[second], lower[first], lower[second], a, b);
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
    return multiplies_staged<multiply_by_units<LE, RE, false>, L, R, A>();
}

/// The right operand may be in either form.
template <typename L, typename R, typename A>
CUDA_TILE_API void multiply_with_unit(A& result, L const& lhs, R const& rhs) {
  using LE = typename L::element_type;
  using RE = typename R::element_type;
  using P = product<L, R, A>;
  if constexpr (may_be_transposed<RE, typename R::shape_type>()) {
    if (detail::is_transposed(rhs)) {
      staged_product<multiply_by_units<LE, RE, true>, P>::add_to(result, lhs, rhs);
      return;
    }
  }
  staged_product<multiply_by_units<LE, RE, false>, P>::add_to(result, lhs, rhs);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
