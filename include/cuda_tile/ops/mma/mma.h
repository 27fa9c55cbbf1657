// [2.5] Matrix multiplication of tiles.
#pragma once

#include "cuda_tile/checked/mma.h"
#include "cuda_tile/ops/mma/types.h"
#include "cuda_tile/tile/primitives.h"

namespace cuda::tiles::inline CUDA_TILE_ABI {
namespace detail {

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

/// The lengths of the product of two tiles.
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

/// [2.5.1] Whether left L, right R and accumulator A can be multiplied and added.
template <typename L, typename R, typename A>
concept mma_compatible =
    numeric_tile<L> && numeric_tile<R> && numeric_tile<A> &&
    detail::mma_types<tile_element_t<L>, tile_element_t<R>>::template accumulate_in<tile_element_t<A>> &&
    detail::mma_shapes_agree<L, R, A>();

/// [2.5.4] lhs * rhs + acc, for each batch of rank 3 operands; a batch of length 1 is broadcast.
template <numeric_tile L, numeric_tile R, numeric_tile A>
  requires mma_compatible<L, R, A>
CUDA_TILE_API A mma(L const& lhs, R const& rhs, A const& acc) noexcept {
  A result = detail::multiply_add_tiles(lhs, rhs, acc);
  checks::after_mma(result, lhs, rhs, acc);
  return result;
}

/// [2.5.2]
template <typename L, typename R>
concept matmul_compatible =
    numeric_tile<L> && numeric_tile<R> && detail::have_product<tile_element_t<L>, tile_element_t<R>> &&
    detail::matmul_shapes_agree<L, R>();

/// [2.5.3]
template <numeric_tile L, numeric_tile R>
  requires matmul_compatible<L, R>
using matmul_result_t = tile<typename detail::mma_types<tile_element_t<L>, tile_element_t<R>>::result,
                             detail::make_shape<detail::product_lengths<L, R>, tile_rank_v<L>>>;

/// [2.5.5] lhs * rhs.
template <numeric_tile L, numeric_tile R>
  requires matmul_compatible<L, R>
CUDA_TILE_API matmul_result_t<L, R> matmul(L const& lhs, R const& rhs) noexcept {
  matmul_result_t<L, R> result = detail::multiply_tiles<matmul_result_t<L, R>>(lhs, rhs);
  checks::after_mma(result, lhs, rhs);
  return result;
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI
