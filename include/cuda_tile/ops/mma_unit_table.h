// Which elements matrix instructions multiply, from which compute capability on, and what an instruction
// takes.
//
// All are used in one shape: 16 x 8 sums, of 16 x 8 and 8 x 8 cells. A cell is a register: 4 bytes, of one
// column of the left operand's row or of one row of the right operand's column, or a double. Cells of an
// inner dimension of 8 are m16n8k8 of tf32 and double, m16n8k16 of half and bfloat16, m16n8k32 of 8 bits.
#pragma once

#include "cuda_tile/ops/fp8_halves.h"
#include "cuda_tile/ops/mma_right.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// The compute capability, times 10, from which on matrix instructions multiply E. PTX 9.7.14.5.
template <typename E>
CUDA_TILE_CONSTEXPR unsigned unit_since() {
  if constexpr (is_same_v<E, __half> || is_8bit_integer<E>)
    return 75;
  else if constexpr (is_same_v<E, __nv_bfloat16> || is_same_v<E, __nv_tf32> || is_same_v<E, double>)
    return 80;
  else if constexpr (is_fp8<E>)
    return platform::fp8_units_since;
  else
    return 10000; // floats: their products and sums are rounded once only by fused multiply-add
}
template <typename E>
inline constexpr bool has_unit = platform::matrix_arch >= unit_since<E>();

/// What is multiplied for elements E: where only the half of fp8 is, those, which are exact.
template <typename E>
using unit_factor_t = conditional_t<is_fp8<E> && !has_unit<E>, __half, E>;

/// Of elements L and R.
template <typename L, typename R>
struct matrix_unit {
  using left = unit_factor_t<L>;
  using right = unit_factor_t<R>;
  using sum = conditional_t<is_integral_scalar_v<L>, int, conditional_t<is_same_v<L, double>, double, float>>;
  using cell = conditional_t<is_same_v<L, double>, double, unsigned>;

  static constexpr bool exists = has_unit<left> && has_unit<right>;
  static constexpr unsigned per_cell = sizeof(cell) / sizeof(left);
  static constexpr unsigned depth = 8 * per_cell; // of the inner dimension
  /// How the right operand is loaded, if it is transposed or not.
  template <bool Transposed>
  using load = conditional_t<
      Transposed, load_columns<cell, per_cell>,
      conditional_t<per_cell == 1, load_words<cell>, conditional_t<per_cell == 2, load_pairs, load_bytes>>>;
};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
