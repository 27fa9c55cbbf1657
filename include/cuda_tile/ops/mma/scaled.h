// [2.5 of 13.5] scaled_mma: products of matrices of which each scale holds for a run of elements.
#pragma once

#include "cuda_tile/ops/convert.h"
#include "cuda_tile/ops/manipulate.h"
#include "cuda_tile/ops/mma/mma.h"

#if CUDA_TILE_API_VERSION >= 1305

namespace cuda::tiles::inline CUDA_TILE_ABI {
namespace detail {

/// Whether scales S may hold for runs of N elements E.
template <typename E, typename S, size_t N>
inline constexpr bool scales_fit =
    (is_same_v<S, __nv_fp8_e8m0> && N == 32 &&
     (is_same_v<E, __nv_fp8_e4m3> || is_same_v<E, __nv_fp8_e5m2>)) ||
    (is_same_v<E, __nv_fp4_e2m1> &&
     ((is_same_v<S, __nv_fp8_e4m3> && N == 16) ||
      ((is_same_v<S, __nv_fp8_e8m0> || is_same_v<S, __nv_fp8_ue5m3>) && (N == 16 || N == 32))));

template <typename L, typename LS, typename R, typename RS, typename A>
CUDA_TILE_CONSTEXPR bool scaled_mma_agrees() {
  if constexpr (!mma_shapes_agree<L, R, A>() || !inner_dimensions_agree<LS, RS>() ||
                tile_rank_v<L> != tile_rank_v<LS>) {
    return false;
  } else {
    using l = matrix<L>;
    using a = matrix<A>;
    using left = matrix<LS>;
    using right = matrix<RS>;
    return is_same_v<tile_element_t<L>, tile_element_t<R>> &&
           is_same_v<tile_element_t<LS>, tile_element_t<RS>> && is_same_v<tile_element_t<A>, float> &&
           l::columns % left::columns == 0 && left::rows == l::rows && right::columns == matrix<R>::columns &&
           (left::batches == 1 || left::batches == a::batches) &&
           (right::batches == 1 || right::batches == a::batches) &&
           scales_fit<tile_element_t<L>, tile_element_t<LS>, l::columns / left::columns>;
  }
}

#if !CUDA_TILE_RECORD
/// The lengths of scales with those along dimension D in front of the runs, which have length N.
template <typename T, size_t D, size_t N>
struct run_lengths {
  CUDA_TILE_CONSTEXPR static size_t at(size_t d) {
    return d == D + 1 ? N : length<tile_shape_t<T>>(d <= D ? d : d - 1);
  }
};
template <typename T, size_t D, size_t N>
struct spread_lengths {
  CUDA_TILE_CONSTEXPR static size_t at(size_t d) { return length<tile_shape_t<T>>(d) * (d == D ? N : 1); }
};

/// Each element of x times its scale, in double, which holds all such products; D is the dimension of the
/// runs.
template <size_t D, typename T, typename S>
CUDA_TILE_API auto scaled_elements(T const& x, S const& scales) {
  constexpr size_t n = length<tile_shape_t<T>>(D) / length<tile_shape_t<S>>(D), rank = tile_rank_v<T>;
  using E = tile_element_t<S>;
  auto const apart = detail::reshape<tile<E, make_shape<run_lengths<S, D, 1>, rank + 1>>>(scales);
  auto const runs = tiles::broadcast<make_shape<run_lengths<S, D, n>, rank + 1>>(apart);
  auto const spread = detail::reshape<tile<E, make_shape<spread_lengths<S, D, n>, rank>>>(runs);
  return detail::map<mutual_broadcast_t<T, remove_cv_t<decltype(spread)>, double>>(
      [](auto a, auto s) { return detail::convert<double>(a) * detail::convert<double>(s); }, x, spread);
}

/// Summed in double and rounded once.
template <typename L, typename LS, typename R, typename RS, typename A>
CUDA_TILE_API A multiply_scaled_tiles(L const& lhs, LS const& lhs_scale, R const& rhs, RS const& rhs_scale,
                                      A const& acc) {
  constexpr size_t rank = tile_rank_v<L>;
  checks::before_scaling(lhs_scale);
  checks::before_scaling(rhs_scale);
  auto const left = detail::scaled_elements<rank - 1>(lhs, lhs_scale);
  auto const right = detail::scaled_elements<rank - 2>(rhs, rhs_scale);
  auto sum = detail::multiply_add_tiles(left, right, tiles::element_cast<double>(acc));
  checks::after_mma(sum, left, right, acc);
  return tiles::element_cast<float>(sum);
}
#endif

} // namespace detail

/// acc + the product of lhs * lhs_scale and rhs * rhs_scale, where a scale holds for a run of elements along
/// the dimension that is summed.
template <numeric_tile L, numeric_tile LS, numeric_tile R, numeric_tile RS, numeric_tile A>
  requires(detail::scaled_mma_agrees<L, LS, R, RS, A>())
CUDA_TILE_API A scaled_mma(L const& lhs, LS const& lhs_scale, R const& rhs, RS const& rhs_scale,
                           A const& acc) noexcept {
  return detail::multiply_scaled_tiles(lhs, lhs_scale, rhs, rhs_scale, acc);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI

#endif
