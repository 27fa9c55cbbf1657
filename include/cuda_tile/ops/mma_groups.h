// Matrix products of half and bfloat16 by warp groups. Both operands pass through shared memory, whole blocks
// of 32 columns at a time; sums stay open (tile/open.h), so that the loads of the next step go on meanwhile.
#pragma once

#include "cuda_tile/ops/mma_staging.h"
#include "cuda_tile/tile/open.h"

#if CUDA_TILE_WARP_GROUPS

namespace cuda::tiles::detail {

/// Rows of E in shared memory as instructions take them with 64-byte swizzling (PTX 9.7.15.5.1.2): blocks of
/// 32 columns, in each all rows, of 4 segments of 16 bytes that change places from two rows to the next. So
/// neither 2 rows' 4 segments, nor one segment of 8 rows, meet in a bank. Places are linear, as those of
/// staged_matrix.
template <typename E, unsigned Rows, unsigned Columns>
struct group_matrix {
  using element_type = E;
  static_assert(sizeof(E) == 2 && Rows % 8 == 0 && Columns % 32 == 0);
  static constexpr unsigned per_segment = 8, block_bytes = Rows * 64, bytes = Columns / 32 * block_bytes;
  E* at;

  CUDA_TILE_CONSTEXPR static unsigned place(unsigned row, unsigned column) {
    return (column / 32 * Rows + row) * 32 + ((column / 8 ^ row / 2) % 4) * 8 + column % 8;
  }
  CUDA_TILE_API E* element(unsigned place, unsigned constant) const {
    return at + (place ^ constant % 32) + constant / 32 * 32;
  }

  /// Describes what begins at a row that is a multiple of 8 and a column that is one of 16, or 32 if the
  /// columns are not the inner dimension.
  CUDA_TILE_API unsigned long long descriptor(unsigned row, unsigned column) const {
    constexpr unsigned long long swizzled = 2ull << 62, eight_rows = 512 >> 4;
    unsigned const first =
        platform::shared_address(at) + column / 32 * block_bytes + row * 64 + column % 32 * 2;
    return swizzled | eight_rows << 32 | static_cast<unsigned long long>(block_bytes >> 4) << 16 |
           (first & 0x3ffff) >> 4;
  }
};

/// Stores what is in [K0, K0 + Width) of the inner dimension of an operand. Transposed: its form, so that
/// rows held are columns. InnerRows: whether rows held are those of the inner dimension. Dealt: whether the
/// other dimension is the product's columns, of which each thread sums 8 neighbours, two by each of the
/// instruction's groups of 8.
template <bool Transposed, bool InnerRows, bool Dealt, unsigned K0, unsigned Width, typename To, typename T>
CUDA_TILE_API void stage_for_groups(To to, T const& from) {
  using S = conditional_t<Transposed, transposed_shape<typename T::shape_type>, typename T::shape_type>;
  using D = distribution_of<S>;
  using order = column_order<Dealt ? 2 : 0, 8>;
  constexpr unsigned columns = static_cast<unsigned>(row_length<S>());
  stage<Dealt && InnerRows ? 2 : least(D::vector, To::per_segment), D>(
      to, from, [](unsigned i) { return (InnerRows ? i / columns : i % columns) / Width == K0 / Width; },
      [](unsigned i) {
        return InnerRows ? To::place(i / columns % Width, order::place(i % columns))
                         : To::place(order::place(i / columns), i % columns % Width);
      });
}

/// The part of the inner dimension of both operands that fits in shared memory.
template <typename P, typename E>
CUDA_TILE_CONSTEXPR unsigned part_of_inner() {
  unsigned width = P::inner;
  while (width > 32 && (P::m + P::columns) * width * sizeof(E) > platform::scratch_limit)
    width /= 2;
  return width;
}

/// A product's parts, and how instructions of warp groups compute them; InnerRows: whether a staged operand's
/// rows are those of the inner dimension.
template <typename E, typename P, bool LeftInnerRows, bool RightInnerRows>
struct group_product {
  /// What a group's sums are.
  static constexpr unsigned columns = P::column_blocks * 8;
  /// A part of the inner dimension that fits in shared memory.
  static constexpr unsigned width = part_of_inner<P, E>();

  using left_matrix =
      conditional_t<LeftInnerRows, group_matrix<E, width, P::m>, group_matrix<E, P::m, width>>;
  using right_matrix =
      conditional_t<RightInnerRows, group_matrix<E, width, P::columns>, group_matrix<E, P::columns, width>>;

  /// Where PTX's registers are among a thread's slots of a block of 64 rows.
  template <unsigned Block>
  struct slots {
    CUDA_TILE_CONSTEXPR static unsigned of(unsigned i) {
      return P::slot(Block, i / 2 % 2) + i / 4 * 2 + i % 2;
    }
  };

  template <unsigned Block>
  CUDA_TILE_API static void multiply_block(float* sums, left_matrix left, right_matrix right, unsigned k) {
    if constexpr (Block < P::row_blocks) {
      unsigned const warp = platform::thread() / 128 * 4;
      unsigned const row = P::row(warp, Block), column = P::column(warp);
      platform::multiply_group<columns, E, LeftInnerRows, RightInnerRows, slots<Block>>(
          sums, LeftInnerRows ? left.descriptor(k, row) : left.descriptor(row, k),
          RightInnerRows ? right.descriptor(k, column) : right.descriptor(column, k));
      multiply_block<Block + 1>(sums, left, right, k);
    }
  }

  template <unsigned K0, typename L, typename R>
  CUDA_TILE_API static void add_parts(float* sums, L const& lhs, R const& rhs) {
    left_matrix left{static_cast<E*>(platform::scratch<left_matrix::bytes + right_matrix::bytes>())};
    right_matrix right{left.at + left_matrix::bytes / sizeof(E)};
    platform::barrier();
    stage_for_groups<LeftInnerRows, LeftInnerRows, false, K0, width>(left, lhs);
    stage_for_groups<!RightInnerRows, RightInnerRows, true, K0, width>(right, rhs);
    platform::show_to_groups();
    platform::barrier();
    platform::open_group();
    CUDA_TILE_UNROLL
    for (unsigned k = 0; k < width; k += 16)
      multiply_block<0>(sums, left, right, k);
    platform::close_group();
    if constexpr (K0 + width < P::inner) {
      platform::finish_sums<P::D::slots>(sums);
      add_parts<K0 + width>(sums, lhs, rhs);
    }
  }
};

/// Whether warp groups compute mma(L, R, A): 16 bit elements, 64 rows for each group and 32 columns.
template <typename L, typename R, typename A>
CUDA_TILE_CONSTEXPR bool uses_warp_groups() {
  using E = typename L::element_type;
  using P = product<L, R, A>;
  if constexpr (!is_same_v<E, __half> && !is_same_v<E, __nv_bfloat16>)
    return false;
  else
    return P::batches == 1 && P::inner >= 32 && may_be_open<float, typename A::shape_type>() &&
           (P::m + P::columns) * 32 * sizeof(E) <= platform::scratch_limit;
}

/// result += lhs rhs, for operands in either form.
template <typename A, typename L, typename R>
CUDA_TILE_API void multiply_with_groups(A& result, L const& lhs, R const& rhs) {
  using E = typename L::element_type;
  using P = product<L, R, A>;
  constexpr unsigned slots = P::D::slots;
  float sums[slots];
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < slots; ++s)
    sums[s] = convert<float>(result.slots[s]);
  if (is_transposed(lhs) && is_transposed(rhs))
    group_product<E, P, true, false>::template add_parts<0>(sums, lhs, rhs);
  else if (is_transposed(lhs))
    group_product<E, P, true, true>::template add_parts<0>(sums, lhs, rhs);
  else if (is_transposed(rhs))
    group_product<E, P, false, false>::template add_parts<0>(sums, lhs, rhs);
  else
    group_product<E, P, false, true>::template add_parts<0>(sums, lhs, rhs);
  if constexpr (!is_same_v<typename A::element_type, float>)
    platform::finish_sums<slots>(sums);
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < slots; ++s)
    result.slots[s] = convert<typename A::element_type>(sums[s]);
}

} // namespace cuda::tiles::detail

#endif
