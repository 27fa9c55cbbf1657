// Matrix multiplication by matrix instructions, with several threads a block: of 16 bit elements, summed as
// floats. The accumulators are fragments as they are distributed (tile/distribution_bits.h); both operands
// pass through shared memory, in segments of 8 elements.
#pragma once

#include "cuda_tile/tile/exchange.h"
#if CUDA_TILE_ON_CUDA
#include "cuda_tile/platform/cuda_matrix.h"
#else
#include "cuda_tile/platform/emulated_matrix.h"
#endif

namespace cuda::tiles::detail {

/// Where segment `segment` of a row of `Segments` lies in shared memory, in segments: so that neither 8 rows'
/// same segment nor 2 rows' 4 neighbouring ones meet in a bank (8 segments are all 32 banks).
template <unsigned Segments>
CUDA_TILE_CONSTEXPR unsigned swizzled(unsigned row, unsigned segment) {
  if constexpr (Segments >= 8)
    segment ^= (row & 1) << 2 | (row & 2) | (row >> 2 & 1);
  else
    segment ^= row / (8 / Segments) % Segments;
  return row * Segments + segment;
}

template <typename E, unsigned Columns>
struct staged_matrix {
  E* at;
  CUDA_TILE_API E* segment(unsigned row, unsigned segment) const {
    return at + swizzled<Columns / 8>(row, segment) * 8;
  }
};

/// Columns [K0, K0 + Width) of the left operand, row by row.
template <unsigned K0, unsigned Width, typename T, typename E>
CUDA_TILE_API void stage_left(staged_matrix<E, Width> to, T const& from) {
  using D = typename T::distribution;
  constexpr unsigned columns = static_cast<unsigned>(row_length<typename T::shape_type>());
  constexpr unsigned run = D::vector < 8 ? 2 : 8;
  unsigned const t = platform::thread();
  if (!D::first(t))
    return;
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < D::slots; s += run) {
    unsigned const i = D::index(t, s), row = i / columns, k = i % columns - K0;
    if (Width != columns && k >= Width)
      continue;
    if constexpr (run == 8)
      platform::store_aligned<16>(to.segment(row, k / 8), from.slots + s);
    else
      platform::store_aligned<4>(to.segment(row, k / 8) + k % 8, from.slots + s);
  }
}

/// Rows [K0, K0 + Height) of the right operand. An instruction's 8 columns become neighbours: of each
/// 4 * Run columns, lane q accumulates Run neighbours, two by an instruction.
template <unsigned K0, unsigned Height, unsigned Run, unsigned Columns, typename T, typename E>
CUDA_TILE_API void stage_right(staged_matrix<E, Columns> to, T const& from) {
  using D = typename T::distribution;
  static_assert(D::vector >= 2);
  unsigned const t = platform::thread();
  if (!D::first(t))
    return;
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < D::slots; s += 2) {
    unsigned const i = D::index(t, s), column = i % Columns, k = i / Columns - K0;
    if (T::distribution::size != Height * Columns && k >= Height)
      continue;
    unsigned const q = column / Run % 4, segment = column / (4 * Run) * (Run / 2) + column % Run / 2;
    platform::store_aligned<4>(to.segment(k, segment) + 2 * q, from.slots + s);
  }
}

/// A matrix product's lengths, and which of them a warp accumulates.
template <typename A>
struct warp_share {
  using D = typename A::distribution;
  static constexpr unsigned columns = static_cast<unsigned>(row_length<typename A::shape_type>());
  static constexpr unsigned rows = D::size / columns;
  static constexpr unsigned warps = D::threads / 32;
  static constexpr unsigned by_rows = warps < rows / 16 ? warps : rows / 16;
  static constexpr unsigned by_columns = warps / by_rows < columns / 8 ? warps / by_rows : columns / 8;
  static constexpr unsigned row_blocks = rows / 16 / by_rows;         // of 16
  static constexpr unsigned column_blocks = columns / 8 / by_columns; // of 8, an instruction's
  static constexpr unsigned held = 2 * column_blocks;                 // neighbours in a thread's slots
};

/// sums += left right, of one part of the inner dimension in shared memory.
template <typename E, unsigned Width, typename Share>
CUDA_TILE_API void multiply_staged(float* sums, staged_matrix<E, Width> left,
                                   staged_matrix<E, Share::columns> right) {
  unsigned const warp = platform::thread() / 32;
  unsigned const first_row = warp % Share::by_rows * 16;
  unsigned const first_segment = warp / Share::by_rows % Share::by_columns * Share::column_blocks;
  constexpr unsigned together = Share::column_blocks < 2 ? 1 : 2; // instructions that a load serves
  CUDA_TILE_UNROLL
  for (unsigned k = 0; k < Width; k += 16) {
    unsigned a[Share::row_blocks][4];
    CUDA_TILE_UNROLL
    for (unsigned r = 0; r < Share::row_blocks; ++r)
      platform::load_matrices<4, false>(a[r], [&](unsigned lane) -> void const* {
        return left.segment(first_row + r * 16 * Share::by_rows + lane % 16, k / 8 + lane / 16);
      });
    CUDA_TILE_UNROLL
    for (unsigned n = 0; n < Share::column_blocks; n += together) {
      unsigned b[2 * together];
      platform::load_matrices<2 * together, true>(b, [&](unsigned lane) -> void const* {
        return right.segment(k + lane % 16, first_segment + n + lane / 16);
      });
      CUDA_TILE_UNROLL
      for (unsigned j = 0; j < together; ++j)
        CUDA_TILE_UNROLL
      for (unsigned r = 0; r < Share::row_blocks; ++r) {
        float* upper = sums + 2 * r * Share::held + 2 * (n + j);
        float d[4] = {upper[0], upper[1], upper[Share::held], upper[Share::held + 1]};
        platform::multiply_matrices<E>(d, a[r], b + 2 * j);
        upper[0] = d[0], upper[1] = d[1], upper[Share::held] = d[2], upper[Share::held + 1] = d[3];
      }
    }
  }
}

template <unsigned K0, unsigned Width, typename A, typename L, typename R>
CUDA_TILE_API void multiply_parts(float* sums, L const& lhs, R const& rhs) {
  using E = typename L::element_type;
  using share = warp_share<A>;
  constexpr unsigned inner = static_cast<unsigned>(row_length<typename L::shape_type>());
  constexpr unsigned bytes = (share::rows + share::columns) * Width * sizeof(E);
  staged_matrix<E, Width> left{static_cast<E*>(platform::scratch<bytes>())};
  staged_matrix<E, share::columns> right{left.at + share::rows * Width};
  platform::barrier();
  stage_left<K0, Width>(left, lhs);
  stage_right<K0, Width, A::distribution::vector, share::columns>(right, rhs);
  platform::barrier();
  multiply_staged<E, Width, share>(sums, left, right);
  if constexpr (K0 + Width < inner)
    multiply_parts<K0 + Width, Width, A>(sums, lhs, rhs);
}

/// The part of the inner dimension that fits in shared memory, at least 16; 0 if none does.
template <typename L, typename A>
CUDA_TILE_CONSTEXPR unsigned staged_width() {
  using share = warp_share<A>;
  unsigned width = static_cast<unsigned>(row_length<typename L::shape_type>());
  while (width >= 16 &&
         (share::rows + share::columns) * width * sizeof(typename L::element_type) > platform::scratch_bytes)
    width /= 2;
  return width < 16 ? 0 : width;
}

/// Whether matrix instructions compute mma(L, R, A): matrices of 16 bit floating point elements of at least
/// 16 x 16 and 16 x 8, one batch.
template <typename L, typename R, typename A>
CUDA_TILE_CONSTEXPR bool uses_matrix_unit() {
  if constexpr (!platform::has_matrix_unit<typename L::element_type>) {
    return false;
  } else {
    constexpr size_t m = row_length<typename A::shape_type>(), n = row_length<typename L::shape_type>();
    constexpr size_t rows = A::distribution::size / m;
    if constexpr (rows < 16 || m < 8 || n < 16)
      return false;
    else
      return L::distribution::size == rows * n && R::distribution::size == n * m && staged_width<L, A>() != 0;
  }
}

template <typename L, typename R, typename A>
CUDA_TILE_API void multiply_with_unit(A& result, L const& lhs, R const& rhs) {
  constexpr unsigned slots = A::distribution::slots;
  float sums[slots];
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < slots; ++s)
    sums[s] = convert<float>(result.slots[s]);
  multiply_parts<0, staged_width<L, A>(), A>(sums, lhs, rhs);
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < slots; ++s)
    result.slots[s] = convert<typename A::element_type>(sums[s]);
}

} // namespace cuda::tiles::detail
