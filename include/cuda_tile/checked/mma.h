// Matrix multiplication in checked builds: which elements of a product have values. Empty in other builds.
#pragma once

#include "cuda_tile/checked/elements.h"
#include "cuda_tile/tile/matrix.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::checks {

#if CUDA_TILE_CHECKED

/// A scale of scaled_mma, which is read as a number without a sign.
struct scale_of_mma {};
template <>
struct precondition<scale_of_mma> {
  static constexpr char const* function = "scaled_mma";
  template <typename E>
  static int violated(E scale) {
    return detail::convert<float>(scale) < 0 ? cuda_tile_conversion_range : -1;
  }
};
template <typename T>
CUDA_TILE_API void before_scaling(T const& scales) {
  checks::before_map<tile_shape_t<T>>(scale_of_mma{}, scales);
}

#else

template <typename T>
CUDA_TILE_API void before_scaling(T const&) {}

#endif

#if CUDA_TILE_CHECKED_FULLY

/// An element of a product has a value if its row and its column do, and its addend does if `acc` is given.
template <typename L, typename R, typename A, typename... Acc>
CUDA_TILE_API void after_mma(A& result, L const& lhs, R const& rhs, Acc const&... acc) {
  using l = detail::matrix<L>;
  using r = detail::matrix<R>;
  checks::require_some_defined("mma", lhs);
  checks::require_some_defined("mma", rhs);
  (checks::require_some_defined("mma", acc), ...);
  checks::define(result);
  if (lhs.undefined != all_defined || rhs.undefined != all_defined || (... || (acc.undefined != all_defined)))
    checks::set_undefined(result, [&](unsigned s) {
      unsigned const row = s / r::columns, batch = row / l::rows;
      unsigned const of_rhs = (r::batches == 1 ? 0 : batch * r::rows) * r::columns + s % r::columns;
      unsigned const of_lhs = (l::batches == 1 ? row % l::rows : row) * l::columns;
      return (... || checks::is_undefined(acc, s)) || checks::is_any_undefined(lhs, of_lhs, l::columns, 1) ||
             checks::is_any_undefined(rhs, of_rhs, r::rows, r::columns);
    });
}

#else

template <typename L, typename R, typename A, typename... Acc>
CUDA_TILE_API void after_mma(A&, L const&, R const&, Acc const&...) {}

#endif

} // namespace cuda::tiles::inline CUDA_TILE_ABI::checks
