// [2.5] Matrix multiplication of tiles.
#pragma once

#include "cuda_tile/ops/checked_mma.h"
#include "cuda_tile/ops/create.h"
#include "cuda_tile/ops/mma_operands.h"
#if !CUDA_TILE_ON_CUDA && CUDA_TILE_BLOCK_THREADS == 1
#include "cuda_tile/ops/mma_blocks.h"
#else
#include "cuda_tile/ops/mma_fma.h"
#include "cuda_tile/ops/mma_groups.h"
#include "cuda_tile/ops/mma_units.h"
#endif

namespace cuda::tiles::inline CUDA_TILE_ABI {
namespace detail {

// [2.5.1] the table of element types

template <typename E, typename A>
CUDA_TILE_CONSTEXPR bool is_mma_accumulator() {
  if constexpr (is_integral_scalar_v<E>)
    return is_8bit_integer<E> && is_integral_scalar_v<A> && is_signed_v<A> && bitwidth_v<A> == 32;
  else if constexpr (is_same_v<E, __half> || is_same_v<E, __nv_fp8_e4m3> || is_same_v<E, __nv_fp8_e5m2>)
    return is_same_v<A, __half> || is_same_v<A, float>;
  else if constexpr (is_same_v<E, double>)
    return is_same_v<A, double>;
  else
    return is_same_v<A, float>;
}

template <typename L, typename R>
inline constexpr bool are_mma_operands = is_same_v<L, R> ? !is_integral_scalar_v<L> || is_8bit_integer<L>
                                                         : is_8bit_integer<L> && is_8bit_integer<R>;

template <typename L, typename R>
CUDA_TILE_CONSTEXPR bool inner_dimensions_agree() {
  if constexpr (tile_rank_v<L> != tile_rank_v<R> || (tile_rank_v<L> != 2 && tile_rank_v<L> != 3))
    return false;
  else
    return matrix<L>::columns == matrix<R>::rows;
}

template <typename L, typename R, typename A>
CUDA_TILE_CONSTEXPR bool mma_shapes_agree() {
  if constexpr (!inner_dimensions_agree<L, R>() || tile_rank_v<A> != tile_rank_v<L>) {
    return false;
  } else {
    using l = matrix<L>;
    using r = matrix<R>;
    using a = matrix<A>;
    return a::rows == l::rows && a::columns == r::columns && (l::batches == a::batches || l::batches == 1) &&
           (r::batches == a::batches || r::batches == 1);
  }
}

#if !CUDA_TILE_ON_CUDA && CUDA_TILE_BLOCK_THREADS == 1
/// lhs * rhs + acc with one thread a block; acc: slots of the accumulator, or null where needs_no_zeros says
/// so.
template <typename A, typename L, typename R>
CUDA_TILE_API A multiply_tiles(L const& lhs, R const& rhs, tile_element_t<A> const* acc) {
  using l = matrix<L>;
  using r = matrix<R>;
  using sum = accumulator_t<tile_element_t<A>>;
  constexpr unsigned size = l::rows * r::columns;
  A result;
  for (unsigned batch = 0; batch < matrix<A>::batches; ++batch)
    multiply_blocks<l::rows, r::columns, l::columns, sum>(
        result.slots + batch * size, acc == nullptr ? nullptr : acc + batch * size,
        lhs.slots + (l::batches == 1 ? 0 : batch * l::rows * l::columns),
        rhs.slots + (r::batches == 1 ? 0 : batch * r::rows * r::columns));
  return result;
}

template <typename A, typename L, typename R>
CUDA_TILE_CONSTEXPR bool needs_no_accumulator() {
  return needs_no_zeros<matrix<L>::rows, matrix<R>::columns, matrix<L>::columns,
                        accumulator_t<tile_element_t<A>>, tile_element_t<A>, tile_element_t<L>,
                        tile_element_t<R>>();
}
#endif

} // namespace detail

/// [2.5.1] Whether left L, right R and accumulator A can be multiplied and added.
template <typename L, typename R, typename A>
concept mma_compatible =
    numeric_tile<L> && numeric_tile<R> && numeric_tile<A> &&
    detail::are_mma_operands<tile_element_t<L>, tile_element_t<R>> &&
    detail::is_mma_accumulator<tile_element_t<L>, tile_element_t<A>>() && detail::mma_shapes_agree<L, R, A>();

/// [2.5.4] lhs * rhs + acc, for each batch of rank 3 operands; a batch of length 1 is broadcast.
template <numeric_tile L, numeric_tile R, numeric_tile A>
  requires mma_compatible<L, R, A>
CUDA_TILE_API A mma(L const& lhs, R const& rhs, A const& acc) noexcept {
#if !CUDA_TILE_ON_CUDA && CUDA_TILE_BLOCK_THREADS == 1
  A result = detail::multiply_tiles<A>(lhs, rhs, acc.slots);
#else
  A result = detail::normal(acc);
#if CUDA_TILE_WARP_GROUPS
  if constexpr (detail::uses_warp_groups<L, R, A>())
    detail::multiply_with_groups(result, lhs, rhs);
  else
#endif
      if constexpr (detail::uses_matrix_unit<L, R, A>())
    detail::multiply_with_unit(result, detail::normal(lhs), rhs);
  else
    detail::multiply_without_unit(result, detail::normal(lhs), detail::normal(rhs));
#endif
  checks::after_mma<detail::matrix>(result, lhs, rhs, acc);
  return result;
}

namespace detail {

/// [2.5.3] Element type of a product.
template <typename E>
CUDA_TILE_CONSTEXPR auto product_element() {
  if constexpr (is_integral_scalar_v<E>)
    return type_is<int>{};
  else if constexpr (is_same_v<E, double>)
    return type_is<double>{};
  else if constexpr (is_mma_accumulator<E, __half>())
    return type_is<__half>{};
  else
    return type_is<float>{};
}

template <typename L, typename R>
struct product_lengths {
  CUDA_TILE_CONSTEXPR static size_t at(size_t d) {
    if (tile_rank_v<L> == 3 && d == 0)
      return matrix<L>::batches > matrix<R>::batches ? matrix<L>::batches : matrix<R>::batches;
    return d + 2 == tile_rank_v<L> ? matrix<L>::rows : matrix<R>::columns;
  }
};

template <typename L, typename R>
CUDA_TILE_CONSTEXPR bool matmul_shapes_agree() {
  if constexpr (!inner_dimensions_agree<L, R>())
    return false;
  else
    return (matrix<L>::batches == matrix<R>::batches || matrix<L>::batches == 1 || matrix<R>::batches == 1) &&
           tile_shape<make_shape<product_lengths<L, R>, tile_rank_v<L>>>;
}

} // namespace detail

/// [2.5.2]
template <typename L, typename R>
concept matmul_compatible =
    numeric_tile<L> && numeric_tile<R> && detail::are_mma_operands<tile_element_t<L>, tile_element_t<R>> &&
    detail::matmul_shapes_agree<L, R>();

/// [2.5.3]
template <numeric_tile L, numeric_tile R>
  requires matmul_compatible<L, R>
using matmul_result_t = tile<typename decltype(detail::product_element<tile_element_t<L>>())::type,
                             detail::make_shape<detail::product_lengths<L, R>, tile_rank_v<L>>>;

/// [2.5.5] lhs * rhs.
template <numeric_tile L, numeric_tile R>
  requires matmul_compatible<L, R>
CUDA_TILE_API matmul_result_t<L, R> matmul(L const& lhs, R const& rhs) noexcept {
  using result = matmul_result_t<L, R>;
#if !CUDA_TILE_ON_CUDA && CUDA_TILE_BLOCK_THREADS == 1 && !CUDA_TILE_CHECKED
  if constexpr (detail::needs_no_accumulator<result, L, R>())
    return detail::multiply_tiles<result>(lhs, rhs, nullptr);
  else
#endif
    return tiles::mma(lhs, rhs, zeros<result>());
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI
