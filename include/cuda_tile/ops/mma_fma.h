// Matrix products by multiply-add, with several threads a block: of what no matrix instruction multiplies.
// Matrices take a block of rows and columns of the accumulators a thread, from staged operands; others the
// plain form.
#pragma once

#include "cuda_tile/ops/mma_right.h"

namespace cuda::tiles::detail {

/// Multiplies and sums as C. A thread's accumulators are 2 rows of each of its row blocks, and runs of
/// neighbouring columns; segments of the inner dimension are read at once, as are those of columns.
template <typename C>
struct multiply_by_fma {
  using left = C;
  using right = C;
  using sum = C;
  static constexpr unsigned depth = 16 / sizeof(C); // a segment
  template <typename P>
  using right_staging = staged_rows<C, load_words<C>, P>;

  template <typename P, typename Left, typename Right>
  CUDA_TILE_API static void multiply(C* sums, Left from_left, Right from_right) {
    constexpr unsigned width = Left::columns;
    unsigned const warp = platform::thread() / 32, g = platform::thread() % 32 / 4,
                   q = platform::thread() % 4;
    unsigned const left_place = Left::place(P::left_row(P::row(warp, 0) + g), 0);
    unsigned const right_place =
        Right::place(P::right_batch(P::row(warp, 0)) * width, P::column(warp) + q * P::run);
    CUDA_TILE_UNROLL
    for (unsigned first = 0; first < P::row_blocks; first += P::together) {
      unsigned const right_row = P::right_batch(P::row(0, first)) * width;
      CUDA_TILE_NO_UNROLL
      for (unsigned k = 0; k < width; k += depth) {
        C a[2 * P::together][depth];
        CUDA_TILE_UNROLL
        for (unsigned r = 0; r < 2 * P::together; ++r)
          platform::load_aligned<16>(
              a[r], from_left.element(left_place ^ Left::place(0, k),
                                      Left::place(P::left_row(P::row(0, first + r / 2)) + r % 2 * 8, 0)));
        CUDA_TILE_UNROLL
        for (unsigned i = 0; i < depth; ++i)
          CUDA_TILE_UNROLL
        for (unsigned c = 0; c < P::held; c += P::run) {
          C b[P::run];
          CUDA_TILE_UNROLL
          for (unsigned j = 0; j < P::run; j += at_once<P>)
            platform::load_aligned<at_once<P> * sizeof(C)>(
                b + j,
                from_right.element(right_place ^ Right::place(k, 0), Right::place(right_row + i, 4 * c + j)));
          CUDA_TILE_UNROLL
          for (unsigned r = 0; r < 2 * P::together; ++r)
            CUDA_TILE_UNROLL
          for (unsigned j = 0; j < P::run; ++j) {
            C& to = sums[P::slot(first + r / 2, r % 2) + c + j];
            to = multiply_add<C>(a[r][i], b[j], to);
          }
        }
      }
    }
  }

  template <typename P>
  static constexpr unsigned at_once = least(P::run, depth); // columns
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
    sums[s] = convert<C>(result.slots[s]);
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
    result.slots[s] = convert<E>(sums[s]);
}

template <typename L, typename R, typename A>
CUDA_TILE_API void multiply_without_unit(A& result, L const& lhs, R const& rhs) {
  using way = multiply_by_fma<accumulator_t<typename A::element_type>>;
  if constexpr (multiplies_staged<way, L, R, A>())
    staged_product<way, product<L, R, A>>::add_to(result, lhs, rhs);
  else
    multiply_plainly(result, lhs, rhs);
}

} // namespace cuda::tiles::detail
