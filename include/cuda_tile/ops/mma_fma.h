// Matrix products by multiply-add, with several threads a block: of what no matrix instruction multiplies.
// Matrices take a block of rows and columns of the accumulators a thread, from staged operands; others the
// plain form.
#pragma once

#include "cuda_tile/ops/mma_right.h"
#include "cuda_tile/threads/exchange.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// A thread's share of the accumulators while they are multiplied: 2 rows of each row block of a warp, and
/// runs of columns. To load a register takes as long as 4 products, so a share is to be about square: where
/// it is wide, lanes 4 g + q that differ in the last bit of g exchange halves of each run of 8 columns for
/// rows.
template <typename C, typename P>
struct fma_share {
  static constexpr bool exchanges =
      sizeof(C) == 4 && P::run == 8 && P::inner >= 16 && P::held >= 16 * P::together;
  static constexpr unsigned rows = exchanges ? 2 : 1;     // neighbours
  static constexpr unsigned lane_bit = exchanges ? 4 : 0; // of the slot, too: the two change places

  /// Between the two distributions.
  CUDA_TILE_API static void exchange(C* sums) {
    if constexpr (exchanges)
      exchange_with_lane<lane_bit, lane_bit, 2 * P::row_blocks * P::held>(sums);
  }
  /// The first of a lane's rows, in a block, and of its columns.
  CUDA_TILE_CONSTEXPR static unsigned row(unsigned lane) { return lane / 4 & ~(rows - 1); }
  CUDA_TILE_CONSTEXPR static unsigned column(unsigned lane) {
    return lane % 4 * P::run | column_of_slot(lane & lane_bit);
  }
  /// Slots of a row are those of runs.
  CUDA_TILE_CONSTEXPR static unsigned column_of_slot(unsigned s) {
    return s / P::run * 4 * P::run + s % P::run;
  }
};

/// Multiplies and sums as C. Segments of the inner dimension are read at once, as are those of columns.
template <typename C>
struct multiply_by_fma {
  using left = C;
  using right = C;
  using sum = C;
  static constexpr unsigned depth = 16 / sizeof(C); // a segment
  using right_load = load_words<C>;
  template <typename P>
  using right_staging = staged_rows<C, right_load, P>;

  template <typename P, typename Left, typename Right>
  CUDA_TILE_API static void multiply(C* sums, Left from_left, Right from_right) {
    using share = fma_share<C, P>;
    constexpr unsigned width = Left::columns;
    unsigned const warp = platform::thread() / 32, lane = platform::thread() % 32, row = P::row(warp, 0);
    unsigned const left_place = Left::place(P::left_row(row + share::row(lane)), 0);
    unsigned const right_place =
        Right::place(P::right_batch(row) * width, P::column(warp) + share::column(lane));
    share::exchange(sums);
    CUDA_TILE_UNROLL
    for (unsigned first = 0; first < P::row_blocks; first += P::together) {
      CUDA_TILE_NO_UNROLL
      for (unsigned k = 0; k < width; k += depth)
        add_segment<P>(sums, from_left, left_place ^ Left::place(0, k), from_right,
                       right_place ^ Right::place(k, 0), first, P::right_batch(P::row(0, first)) * width);
    }
    share::exchange(sums);
  }

  /// The products of one segment of the inner dimension, for the row blocks from `first` on.
  template <typename P, typename Left, typename Right>
  CUDA_TILE_API static void add_segment(C* sums, Left from_left, unsigned left_place, Right from_right,
                                        unsigned right_place, unsigned first, unsigned right_row) {
    using share = fma_share<C, P>;
    constexpr unsigned rows = 2 * P::together * share::rows, columns = least(P::run, depth); // at once
    C a[rows][depth];
    CUDA_TILE_UNROLL
    for (unsigned r = 0; r < rows; ++r) {
      unsigned const half = r / share::rows, of_block = half % 2 * 8 + r % share::rows;
      platform::load_aligned<16>(
          a[r],
          from_left.element(left_place, Left::place(P::left_row(P::row(0, first + half / 2)) + of_block, 0)));
    }
    CUDA_TILE_UNROLL
    for (unsigned i = 0; i < depth; ++i)
      CUDA_TILE_UNROLL
    for (unsigned s = 0; s < P::held; s += columns) {
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
        C& to = sums[P::slot(first + half / 2, half % 2) + (s | r % share::rows * 4) + j];
        to = multiply_add<C>(a[r][i], b[j], to);
      }
    }
  }
};

/// Writes columns [k0, k0 + Width) of a matrix tile, row by row and batch by batch, to memory that the block
/// shares.
template <unsigned Width, typename T, typename E>
CUDA_TILE_API void copy_columns(E* to, T const& from, unsigned k0) {
  using D = typename T::distribution;
  constexpr unsigned columns = matrix<T>::columns;
  unsigned const t = platform::thread();
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < D::slots; ++s) {
    unsigned i = D::index(t, s), k = i % columns - k0;
    if (k < Width && D::first(t))
      to[i / columns * Width + k] = from.slots[s];
  }
}
/// The same for rows [k0, k0 + Height).
template <unsigned Height, typename T, typename E>
CUDA_TILE_API void copy_rows(E* to, T const& from, unsigned k0) {
  using D = typename T::distribution;
  constexpr unsigned columns = matrix<T>::columns, rows = matrix<T>::rows;
  unsigned const t = platform::thread();
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < D::slots; ++s) {
    unsigned i = D::index(t, s), k = i / columns % rows - k0;
    if (k < Height && D::first(t))
      to[(i / columns / rows * Height + k) * columns + i % columns] = from.slots[s];
  }
}

/// Products of any shape: the operands pass through shared memory, a part of the inner dimension at a time.
template <typename L, typename R, typename A>
CUDA_TILE_API void multiply_plainly(A& result, L const& lhs, R const& rhs) {
  using E = typename A::element_type;
  using C = accumulator_t<E>;
  using D = typename A::distribution;
  using LE = typename L::element_type;
  using RE = typename R::element_type;
  constexpr unsigned k_length = matrix<L>::columns, m = matrix<L>::rows, n = matrix<R>::columns;
  constexpr unsigned step_bytes =
      (matrix<L>::batches * m + matrix<R>::batches * n) * static_cast<unsigned>(sizeof(LE));
  static_assert(step_bytes <= platform::scratch_bytes,
                "mma: a row and a column of these operands exceed shared memory");
  constexpr unsigned fitting = static_cast<unsigned>(platform::scratch_bytes) / step_bytes;
  // A power of two, as the length of the inner dimension is.
  constexpr unsigned width = [] {
    unsigned w = 1;
    while (2 * w <= fitting && 2 * w <= k_length)
      w *= 2;
    return w;
  }();
  LE* a = static_cast<LE*>(platform::scratch<step_bytes * width>());
  RE* b = reinterpret_cast<RE*>(a + matrix<L>::batches * m * width);
  unsigned const t = platform::thread();

  C sums[D::slots];
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < D::slots; ++s)
    sums[s] = detail::convert<C>(result.slots[s]);
  for (unsigned k0 = 0; k0 < k_length; k0 += width) {
    platform::barrier();
    copy_columns<width>(a, lhs, k0);
    copy_rows<width>(b, rhs, k0);
    platform::barrier();
    CUDA_TILE_NO_UNROLL
    for (unsigned k = 0; k < width; ++k) {
      CUDA_TILE_UNROLL
      for (unsigned s = 0; s < D::slots; ++s) {
        unsigned i = D::index(t, s), batch = i / (m * n), row = i / n % m, column = i % n;
        LE from_a = a[((matrix<L>::batches == 1 ? 0 : batch) * m + row) * width + k];
        RE from_b = b[((matrix<R>::batches == 1 ? 0 : batch) * width + k) * n + column];
        sums[s] = multiply_add<C>(from_a, from_b, sums[s]);
      }
    }
  }
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < D::slots; ++s)
    result.slots[s] = detail::convert<E>(sums[s]);
}

template <typename L, typename R, typename A>
CUDA_TILE_API void multiply_without_unit(A& result, L const& lhs, R const& rhs) {
  using way = multiply_by_fma<accumulator_t<typename A::element_type>>;
  if constexpr (multiplies_staged<way, L, R, A>())
    staged_product<way, product<L, R, A>>::add_to(result, lhs, rhs);
  else
    detail::multiply_plainly(result, lhs, rhs);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
