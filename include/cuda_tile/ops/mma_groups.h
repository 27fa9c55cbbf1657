// Matrix products by warp groups (wgmma). Both operands pass through shared memory; sums stay open
// (threads/open.h), so that the loads of the next step go on meanwhile.
#pragma once

#include "cuda_tile/ops/group_staging.h"

#if CUDA_TILE_WARP_GROUPS

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// E as platform/ names it.
template <typename E>
struct group_element {
  using type = E;
};
template <typename E>
  requires is_8bit_integer<E>
struct group_element<E> {
  using type = conditional_t<is_signed_v<E>, signed char, unsigned char>;
};

/// How warp groups multiply elements E. PTX 9.7.15.5.2.
template <typename E>
struct group_unit {
  static constexpr bool exists = is_same_v<E, __half> || is_same_v<E, __nv_bfloat16> ||
                                 is_same_v<E, __nv_tf32> || is_fp8<E> || is_8bit_integer<E>;
  using element = typename group_element<E>::type;
  using sum = conditional_t<is_8bit_integer<E>, int, float>;
  /// Whether neighbours in memory may be rows (columns) of the product; else they are of the inner dimension.
  static constexpr bool either_major = sizeof(E) == 2;
  /// Whether sums have fewer bits than a float, so that those of a tile are begun anew and added as floats.
  static constexpr bool promoted = is_fp8<E>;
  /// Of the inner dimension, of an instruction and of a staged line.
  static constexpr unsigned depth = 32 / sizeof(E), least_inner = sizeof(E) == 1 ? 64 : 32;
};

/// A product's parts, and how instructions of warp groups compute them; InnerRows: whether rows that an
/// operand holds are those of the inner dimension.
template <typename L, typename R, typename A, bool LeftInnerRows, bool RightInnerRows>
struct group_product {
  using P = product<L, R, A>;
  using unit = group_unit<typename L::element_type>;
  using left_element = typename unit::element;
  using right_element = typename group_unit<typename R::element_type>::element;
  using sum = typename unit::sum;
  /// A group's, and an instruction's: of those that need registers beside the sums, few.
  static constexpr unsigned columns = P::column_blocks * 8;
  static constexpr unsigned at_once = unit::promoted ? least(columns, 128) : columns;

  /// The part of the inner dimension that fits in shared memory.
  CUDA_TILE_CONSTEXPR static unsigned find_width() {
    unsigned width = P::inner;
    while (width > unit::least_inner &&
           (P::m + P::columns) * width * sizeof(left_element) > platform::scratch_limit)
      width /= 2;
    return width;
  }
  static constexpr unsigned width = find_width();

  /// Whether the right operand is staged as it is held, row by row of the inner dimension.
  static constexpr bool columns_in_b = RightInnerRows && unit::either_major;
  using dealt = dealt_columns<RightInnerRows && sizeof(right_element) == 1>;

  using left_matrix = conditional_t<LeftInnerRows, group_matrix<left_element, width, P::m>,
                                    group_matrix<left_element, P::m, width>>;
  using right_matrix = conditional_t<columns_in_b, group_matrix<right_element, width, P::columns>,
                                     group_matrix<right_element, P::columns, width>>;
  template <typename S, bool Transposed>
  using held_shape = conditional_t<Transposed, transposed_shape<S>, S>;
  template <unsigned K0>
  using left_staging = group_staging<left_matrix, held_shape<typename L::shape_type, LeftInnerRows>,
                                     LeftInnerRows, false, all_rows, K0, width>;
  template <unsigned K0>
  using right_staging = group_staging<right_matrix, held_shape<typename R::shape_type, !RightInnerRows>,
                                      RightInnerRows, RightInnerRows != columns_in_b, dealt, K0, width>;

  /// Where PTX's registers are among a thread's slots of a block of 64 rows, of columns from First on.
  template <unsigned Block, unsigned First>
  struct slots {
    CUDA_TILE_CONSTEXPR static unsigned of(unsigned i) {
      return P::slot(Block, i / 2 % 2) + First / 4 + dealt::held(i / 4 * 2 + i % 2);
    }
  };
  struct in_order {
    CUDA_TILE_CONSTEXPR static unsigned of(unsigned i) { return i; }
  };

  template <unsigned Block, unsigned First, bool Fresh, typename Slots>
  CUDA_TILE_API static void multiply_block(sum* sums, left_matrix left, right_matrix right, unsigned k) {
    unsigned const warp = platform::thread() / 128 * 4;
    unsigned const row = P::row(warp, Block), column = P::column(warp) + First;
    platform::multiply_group<at_once, left_element, right_element, LeftInnerRows, columns_in_b, Fresh, Slots>(
        sums, LeftInnerRows ? left.descriptor(k, row) : left.descriptor(row, k),
        columns_in_b ? right.descriptor(k, column) : right.descriptor(column, k));
  }

  /// sums += left right, which stays open.
  template <unsigned Block = 0>
  CUDA_TILE_API static void multiply_blocks(sum* sums, left_matrix left, right_matrix right, unsigned k) {
    if constexpr (Block < P::row_blocks) {
      multiply_block<Block, 0, false, slots<Block, 0>>(sums, left, right, k);
      multiply_blocks<Block + 1>(sums, left, right, k);
    }
  }

  /// The same, not open: sums of its own, block by block, which are then added.
  template <unsigned Block = 0, unsigned First = 0>
  CUDA_TILE_API static void add_blocks(sum* sums, left_matrix left, right_matrix right) {
    if constexpr (First == columns) {
      add_blocks<Block + 1>(sums, left, right);
    } else if constexpr (Block < P::row_blocks) {
      sum own[at_once / 2];
      platform::open_group();
      multiply_block<Block, First, true, in_order>(own, left, right, 0);
      CUDA_TILE_UNROLL
      for (unsigned k = unit::depth; k < width; k += unit::depth)
        multiply_block<Block, First, false, in_order>(own, left, right, k);
      platform::close_group();
      platform::finish_sums<at_once / 2>(own);
      CUDA_TILE_UNROLL
      for (unsigned i = 0; i < at_once / 2; ++i)
        sums[slots<Block, First>::of(i)] += own[i];
      add_blocks<Block, First + at_once>(sums, left, right);
    }
  }

  template <unsigned K0 = 0>
  CUDA_TILE_API static void add_parts(sum* sums, L const& lhs, R const& rhs) {
    left_matrix left{
        static_cast<left_element*>(platform::scratch<left_matrix::bytes + right_matrix::bytes>())};
    right_matrix right{reinterpret_cast<right_element*>(left.at + left_matrix::bytes / sizeof(left_element))};
    platform::barrier();
    left_staging<K0>::run(left, lhs);
    right_staging<K0>::run(right, rhs);
    platform::show_to_groups();
    platform::barrier();
    if constexpr (unit::promoted) {
      add_blocks(sums, left, right);
    } else {
      platform::open_group();
      CUDA_TILE_UNROLL
      for (unsigned k = 0; k < width; k += unit::depth)
        multiply_blocks(sums, left, right, k);
      platform::close_group();
    }
    if constexpr (K0 + width < P::inner) {
      platform::finish_sums<P::D::slots>(sums);
      add_parts<K0 + width>(sums, lhs, rhs);
    }
  }
};

/// Whether warp groups compute mma(L, R, A): 64 rows for each group, 32 columns, and an inner dimension of a
/// staged line.
template <typename L, typename R, typename A>
CUDA_TILE_CONSTEXPR bool uses_warp_groups() {
  using unit = group_unit<typename L::element_type>;
  using P = product<L, R, A>;
  if constexpr (!unit::exists)
    return false;
  else
    return P::batches == 1 && P::inner >= unit::least_inner &&
           may_be_open<typename unit::sum, typename A::shape_type>() &&
           (P::m + P::columns) * unit::least_inner * sizeof(typename unit::element) <=
               platform::scratch_limit;
}

/// sums += lhs rhs, of which Left and Right are transposed.
template <typename A, bool Left, bool Right, typename Sum, typename L, typename R>
CUDA_TILE_API void add_group_product(Sum* sums, L const& lhs, R const& rhs) {
  group_product<L, R, A, Left, !Right>::add_parts(sums, lhs, rhs);
}

/// result += lhs rhs, for operands in either form.
template <typename A, typename L, typename R>
CUDA_TILE_API void multiply_with_groups(A& result, L const& lhs, R const& rhs) {
  using unit = group_unit<typename L::element_type>;
  using sum = typename unit::sum;
  constexpr unsigned slots = A::distribution::slots;
  sum sums[slots];
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < slots; ++s)
    sums[s] = detail::convert<sum>(result.slots[s]);
  if constexpr (!unit::either_major) {
    if (detail::is_transposed(rhs))
      add_group_product<A, false, true>(sums, detail::normal(lhs), rhs);
    else
      add_group_product<A, false, false>(sums, detail::normal(lhs), rhs);
  } else if (detail::is_transposed(lhs)) {
    if (detail::is_transposed(rhs))
      add_group_product<A, true, true>(sums, lhs, rhs);
    else
      add_group_product<A, true, false>(sums, lhs, rhs);
  } else if (detail::is_transposed(rhs)) {
    add_group_product<A, false, true>(sums, lhs, rhs);
  } else {
    add_group_product<A, false, false>(sums, lhs, rhs);
  }
  if constexpr (!is_same_v<typename A::element_type, sum>)
    platform::finish_sums<slots>(sums);
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < slots; ++s)
    result.slots[s] = detail::convert<typename A::element_type>(sums[s]);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail

#endif
