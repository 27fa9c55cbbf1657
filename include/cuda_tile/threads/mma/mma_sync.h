// Matrix products by the matrix instructions of warps (mma.sync). Both operands pass through shared memory.
//
// Every instruction is used in one shape: 16 x 8 accumulators, and operand fragments of 16 x 8 and 8 x 8
// words. A word fills a register (4 bytes, or a double) and holds neighbours along the inner dimension, from
// a row of the left operand or a column of the right one. 8 words of the inner dimension are m16n8k8 for tf32
// and double, m16n8k16 for half and bfloat16, and m16n8k32 for 8 bits.
#pragma once

#include "cuda_tile/threads/exchange.h"
#include "cuda_tile/threads/mma/k_loop.h"
#include "cuda_tile/threads/mma/right_fragments.h"
#include "cuda_tile/threads/mma/types.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

template <typename E>
inline constexpr bool has_mma_sync = platform::matrix_arch >= instruction_types<E, E>::mma_sync_since;

/// The type in which elements E are multiplied: fp8 is multiplied as half, which represents it exactly, where
/// there are no instructions for fp8.
template <typename E>
using mma_sync_factor = conditional_t<is_fp8<E> && !has_mma_sync<E>, __half, E>;

/// Multiplies operands of elements L and R in shared memory; Transposed: the right one is in the transposed
/// form (threads/transposed.h). See k_loop.h.
template <typename L, typename R, bool Transposed, typename W>
struct mma_sync_product : synchronous_product {
  using left = mma_sync_factor<L>;
  using right = mma_sync_factor<R>;
  using sum = typename instruction_types<left, right>::sum;
  using word = conditional_t<is_same_v<left, double>, double, unsigned>;
  static constexpr unsigned per_word = sizeof(word) / sizeof(left);
  /// The inner length of an instruction.
  static constexpr unsigned least_slice = 8 * per_word;

  using fragments =
      conditional_t<Transposed, load_columns<word, per_word>,
                    conditional_t<per_word == 1, load_words<word>,
                                  conditional_t<per_word == 2, ldmatrix_pairs, ldmatrix_bytes>>>;
  using left_staging = staged_left<left, W>;
  using right_staging =
      conditional_t<Transposed, staged_columns<right, fragments, W>, staged_rows<right, fragments, W>>;

  /// The slot, among those of a row, of column e (0 or 1) of fragment n.
  CUDA_TILE_CONSTEXPR static unsigned slot(unsigned n, unsigned e) {
    constexpr unsigned v = fragments::template adjacent<W::run>;
    return n / v * 2 * v + e * v + n % v;
  }

  /// The row and k at which a lane finds its part of a left fragment: one of 4 words, or a row for ldmatrix.
  CUDA_TILE_CONSTEXPR static unsigned left_row(unsigned lane) {
    return sizeof(word) == 4 ? lane % 16 : lane / 4;
  }
  CUDA_TILE_CONSTEXPR static unsigned left_k(unsigned lane) {
    return sizeof(word) == 4 ? lane / 16 * 4 * per_word : lane % 4;
  }

  /// The left fragment for a warp's row fragment `m`, from k on.
  template <typename Staged>
  CUDA_TILE_API static void load_left(word (&a)[4], Staged from, unsigned m, unsigned k) {
    unsigned const row = W::row(platform::thread() / 32, 0), step = W::left_row(W::row(0, m));
    auto const address = [&](unsigned lane, unsigned more_rows, unsigned more_k) {
      return from.element(from.place(W::left_row(row + left_row(lane)), left_k(lane)),
                          from.place(step + more_rows, k + more_k));
    };
    if constexpr (sizeof(word) == 4) {
      platform::load_matrices<4, false>(a, [&](unsigned lane) { return address(lane, 0, 0); });
    } else {
      CUDA_TILE_UNROLL
      for (unsigned i = 0; i < 4; ++i)
        a[i] = *address(platform::thread() % 32, i % 2 * 8, i / 2 * 4);
    }
  }

  /// The right fragments, from n on, that one load fills for the batch of row fragment `m`.
  template <unsigned Slice, unsigned PerLoad, typename Staged>
  CUDA_TILE_API static void load_right(word (&b)[PerLoad][2], Staged from, unsigned m, unsigned k,
                                       unsigned n) {
    unsigned const warp = platform::thread() / 32, batch = W::right_batch(W::row(warp, 0)),
                   column = W::column(warp) * interleave<fragments::group, W::run>::gap;
    fragments::load(b, [&](unsigned lane, unsigned more_k) {
      staged_index const own = fragments::template lane_index<W::run>(lane);
      return from.element(right_staging::template place<Slice>(batch, own.k, column + own.column),
                          right_staging::template place<Slice>(W::right_batch(W::row(0, m)), k + more_k,
                                                               fragments::template column<W::run>(n)));
    });
  }

  template <unsigned Slice, typename Left, typename Right>
  CUDA_TILE_API static void multiply(sum* sums, Left from_left, Right from_right) {
    constexpr unsigned per_load = fragments::template per_load<W::run>, of_batch = W::fragments_of_batch;
    CUDA_TILE_UNROLL
    for (unsigned first = 0; first < W::row_fragments; first += of_batch) {
      CUDA_TILE_UNROLL
      for (unsigned k = 0; k < Slice; k += least_slice) {
        word a[of_batch][4];
        CUDA_TILE_UNROLL
        for (unsigned m = 0; m < of_batch; ++m)
          load_left(a[m], from_left, first + m, k);
        CUDA_TILE_UNROLL
        for (unsigned n = 0; n < W::column_fragments; n += per_load) {
          word b[per_load][2];
          load_right<Slice>(b, from_right, first, k, n);
          CUDA_TILE_UNROLL
          for (unsigned j = 0; j < per_load; ++j)
            CUDA_TILE_UNROLL
          for (unsigned m = 0; m < of_batch; ++m)
            multiply_fragments(sums, first + m, n + j, a[m], b[j]);
        }
      }
    }
  }

  CUDA_TILE_API static void multiply_fragments(sum* sums, unsigned m, unsigned n, word const (&a)[4],
                                               word const (&b)[2]) {
    sum *upper = sums + W::slot(m, 0), *lower = sums + W::slot(m, 1);
    unsigned const first = slot(n, 0), second = slot(n, 1);
    platform::multiply_matrices<left, right>(upper[first], upper[second], lower[first], lower[second], a, b);
  }
};

namespace multiplications {

struct mma_sync {
  static constexpr mma_unit unit = mma_unit::mma_sync;

  template <typename L, typename R, typename A>
  CUDA_TILE_CONSTEXPR static bool takes() {
    using LE = typename L::element_type;
    using RE = typename R::element_type;
    if constexpr (!has_mma_sync<mma_sync_factor<LE>> || !has_mma_sync<mma_sync_factor<RE>>) {
      return false;
    } else {
      using W = warp_tile<L, R, A>;
      return is_staged<mma_sync_product<LE, RE, false, W>, W>();
    }
  }

  /// The right operand may be in either form.
  template <typename L, typename R, typename A>
  CUDA_TILE_API static A multiply_add(L const& lhs, R const& rhs, A const& acc) {
    using LE = typename L::element_type;
    using RE = typename R::element_type;
    using W = warp_tile<L, R, A>;
    A result = detail::normal(acc);
    auto const& left = detail::normal(lhs);
    if constexpr (may_be_transposed<RE, typename R::shape_type>()) {
      if (detail::is_transposed(rhs)) {
        k_loop<mma_sync_product<LE, RE, true, W>, W>::add_to(result, left, rhs);
        return result;
      }
    }
    k_loop<mma_sync_product<LE, RE, false, W>, W>::add_to(result, left, rhs);
    return result;
  }
};

} // namespace multiplications
} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
