// Matrix products by fused multiply-add, for tiles that are too narrow to be divided among warps: a plain
// loop for each accumulator, over operands in shared memory.
#pragma once

#include "cuda_tile/tile/matrix.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

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

/// result += lhs rhs, of any lengths: both operands pass through shared memory, a k-slice at a time.
template <typename L, typename R, typename A>
CUDA_TILE_API void add_narrow_product(A& result, L const& lhs, R const& rhs) {
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
  // A power of two, as is the length of the inner dimension.
  constexpr unsigned slice = [] {
    unsigned w = 1;
    while (2 * w <= fitting && 2 * w <= k_length)
      w *= 2;
    return w;
  }();
  LE* a = static_cast<LE*>(platform::scratch<step_bytes * slice>());
  RE* b = reinterpret_cast<RE*>(a + matrix<L>::batches * m * slice);
  unsigned const t = platform::thread();

  C sums[D::slots];
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < D::slots; ++s)
    sums[s] = detail::convert<C>(result.slots[s]);
  for (unsigned k0 = 0; k0 < k_length; k0 += slice) {
    platform::barrier();
    detail::copy_columns<slice>(a, lhs, k0);
    detail::copy_rows<slice>(b, rhs, k0);
    platform::barrier();
    CUDA_TILE_NO_UNROLL
    for (unsigned k = 0; k < slice; ++k) {
      CUDA_TILE_UNROLL
      for (unsigned s = 0; s < D::slots; ++s) {
        unsigned i = D::index(t, s), batch = i / (m * n), row = i / n % m, column = i % n;
        LE from_a = a[((matrix<L>::batches == 1 ? 0 : batch) * m + row) * slice + k];
        RE from_b = b[((matrix<R>::batches == 1 ? 0 : batch) * slice + k) * n + column];
        sums[s] = detail::multiply_add<C>(from_a, from_b, sums[s]);
      }
    }
  }
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < D::slots; ++s)
    result.slots[s] = detail::convert<E>(sums[s]);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
