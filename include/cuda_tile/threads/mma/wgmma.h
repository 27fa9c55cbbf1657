// Matrix products by the matrix instructions of warp groups (wgmma). Both operands pass through shared
// memory; the accumulators stay open (threads/open.h), so that the loads of the next step go on meanwhile.
#pragma once

#include "cuda_tile/threads/exchange.h"
#include "cuda_tile/threads/mma/k_loop.h"
#include "cuda_tile/threads/mma/types.h"
#include "cuda_tile/threads/mma/wgmma_staging.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

#if CUDA_TILE_WARP_GROUPS // see wgmma_staging.h

/// The type that stands for E in platform/.
template <typename E>
struct wgmma_element {
  using type = E;
};
template <typename E>
  requires is_8bit_integer<E>
struct wgmma_element<E> {
  using type = conditional_t<is_signed_v<E>, signed char, unsigned char>;
};

/// For elements E, the inner length of an instruction, and that of the shortest k-slice, which is a line in
/// shared memory.
template <typename E>
inline constexpr unsigned wgmma_k = 32 / sizeof(E);
template <typename E>
inline constexpr unsigned wgmma_least_slice = sizeof(E) == 1 ? 64 : 32;

/// Multiplies operands of elements L and R in shared memory; LeftKRows, RightKRows: whether the rows that an
/// operand holds are those of the inner dimension. See k_loop.h.
template <typename L, typename R, bool LeftKRows, bool RightKRows, typename W>
struct wgmma_product {
  using types = instruction_types<L, R>;
  using left = typename wgmma_element<L>::type;
  using right = typename wgmma_element<R>::type;
  using sum = typename types::sum;
  static constexpr unsigned least_slice = wgmma_least_slice<L>;
  /// Whether instructions accumulate fewer bits than a float has, so that the product of a k-slice is
  /// accumulated from zero and then added as floats.
  static constexpr bool promoted = is_fp8<L>;
  /// The columns of a warp group, and of an instruction: fewer where it needs registers besides the
  /// accumulators.
  static constexpr unsigned columns = W::column_fragments * 8;
  static constexpr unsigned instruction_columns = promoted ? least(columns, 128) : columns;

  /// Whether neighbours in memory run along the rows of the left operand, and along the columns of the right
  /// one, which is then staged as it is held; otherwise they run along the inner dimension.
  static constexpr bool left_major_m = LeftKRows, right_major_n = RightKRows && types::wgmma_any_major;
  using column_order = interleaved_columns<RightKRows && sizeof(right) == 1>;
  using left_staging = staged_for_wgmma<left, W::m, all_rows, LeftKRows, LeftKRows, !left_major_m>;
  using right_staging = staged_for_wgmma<right, W::n, column_order, !RightKRows, RightKRows, !right_major_n>;

  CUDA_TILE_API static void publish() { platform::publish_to_wgmma(); }
  template <unsigned Count>
  CUDA_TILE_API static void finish(sum* sums) {
    platform::finish_sums<Count>(sums);
  }

  /// The slot of each PTX register of a thread, for a block of 64 rows and the columns from First on.
  template <unsigned Block, unsigned First>
  struct slots {
    CUDA_TILE_CONSTEXPR static unsigned of(unsigned i) {
      return W::slot(Block, i / 2 % 2) + First / 4 + column_order::held(i / 4 * 2 + i % 2);
    }
  };
  struct in_order {
    CUDA_TILE_CONSTEXPR static unsigned of(unsigned i) { return i; }
  };

  template <unsigned Block, unsigned First, bool FromZero, typename Slots, typename Left, typename Right>
  CUDA_TILE_API static void multiply_block(sum* sums, Left from_left, Right from_right, unsigned k) {
    unsigned const warp = platform::thread() / 128 * 4;
    unsigned const row = W::row(warp, Block), column = W::column(warp) + First;
    platform::multiply_wgmma<instruction_columns, left, right, left_major_m, right_major_n, FromZero, Slots>(
        sums, left_major_m ? from_left.descriptor(k, row) : from_left.descriptor(row, k),
        right_major_n ? from_right.descriptor(k, column) : from_right.descriptor(column, k));
  }

  /// sums += left right; the sums stay open.
  template <unsigned Block = 0, typename Left, typename Right>
  CUDA_TILE_API static void multiply_open(sum* sums, Left from_left, Right from_right, unsigned k) {
    if constexpr (Block < W::row_fragments) {
      multiply_block<Block, 0, false, slots<Block, 0>>(sums, from_left, from_right, k);
      multiply_open<Block + 1>(sums, from_left, from_right, k);
    }
  }

  /// The same without leaving sums open: block by block, each accumulated from zero and then added.
  template <unsigned Slice, unsigned Block = 0, unsigned First = 0, typename Left, typename Right>
  CUDA_TILE_API static void multiply_promoted(sum* sums, Left from_left, Right from_right) {
    if constexpr (First == columns) {
      multiply_promoted<Slice, Block + 1>(sums, from_left, from_right);
    } else if constexpr (Block < W::row_fragments) {
      constexpr unsigned count = instruction_columns / 2;
      sum own[count];
      platform::begin_wgmma();
      multiply_block<Block, First, true, in_order>(own, from_left, from_right, 0);
      CUDA_TILE_UNROLL
      for (unsigned k = wgmma_k<L>; k < Slice; k += wgmma_k<L>)
        multiply_block<Block, First, false, in_order>(own, from_left, from_right, k);
      platform::commit_wgmma();
      platform::finish_sums<count>(own);
      CUDA_TILE_UNROLL
      for (unsigned i = 0; i < count; ++i)
        sums[slots<Block, First>::of(i)] += own[i];
      multiply_promoted<Slice, Block, First + instruction_columns>(sums, from_left, from_right);
    }
  }

  template <unsigned Slice, typename Left, typename Right>
  CUDA_TILE_API static void multiply(sum* sums, Left from_left, Right from_right) {
    if constexpr (promoted) {
      multiply_promoted<Slice>(sums, from_left, from_right);
    } else {
      platform::begin_wgmma();
      CUDA_TILE_UNROLL
      for (unsigned k = 0; k < Slice; k += wgmma_k<L>)
        multiply_open(sums, from_left, from_right, k);
      platform::commit_wgmma();
    }
  }
};

namespace multiplications {

struct wgmma {
  static constexpr mma_unit unit = mma_unit::wgmma;

  /// There have to be at least 64 rows for each warp group, 32 columns, and a k-slice.
  template <typename L, typename R, typename A>
  CUDA_TILE_CONSTEXPR static bool takes() {
    using LE = typename L::element_type;
    using RE = typename R::element_type;
    using W = warp_tile<L, R, A>;
    if constexpr (!instruction_types<LE, RE>::wgmma || W::batches != 1)
      return false;
    else if constexpr (!may_be_open<typename instruction_types<LE, RE>::sum, typename A::shape_type>())
      return false;
    else
      return is_staged<wgmma_product<LE, RE, false, true, W>, W>();
  }

  /// Operands of 16 bits may be in either form, others only the right one.
  template <typename L, typename R, typename A>
  CUDA_TILE_API static A multiply_add(L const& lhs, R const& rhs, A const& acc) {
    using types = instruction_types<typename L::element_type, typename R::element_type>;
    A result = detail::normal(acc);
    if constexpr (!types::wgmma_any_major) {
      add_product<false>(result, detail::normal(lhs), rhs);
    } else {
      if (detail::is_transposed(lhs))
        add_product<true>(result, lhs, rhs);
      else
        add_product<false>(result, lhs, rhs);
    }
    return result;
  }

private:
  template <bool LeftTransposed, typename L, typename R, typename A>
  CUDA_TILE_API static void add_product(A& result, L const& lhs, R const& rhs) {
    if (detail::is_transposed(rhs))
      run<LeftTransposed, false>(result, lhs, rhs);
    else
      run<LeftTransposed, true>(result, lhs, rhs);
  }
  template <bool LeftKRows, bool RightKRows, typename L, typename R, typename A>
  CUDA_TILE_API static void run(A& result, L const& lhs, R const& rhs) {
    using W = warp_tile<L, R, A>;
    using product =
        wgmma_product<typename L::element_type, typename R::element_type, LeftKRows, RightKRows, W>;
    k_loop<product, W>::add_to(result, lhs, rhs);
  }
};

} // namespace multiplications

#else

namespace multiplications {

struct wgmma {
  template <typename L, typename R, typename A>
  CUDA_TILE_CONSTEXPR static bool takes() {
    return false;
  }
};

} // namespace multiplications

#endif

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
