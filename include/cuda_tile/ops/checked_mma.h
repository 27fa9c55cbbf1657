// Matrix multiplication in checked builds: which elements of a product have values. Empty in other builds.
#pragma once

#include "cuda_tile/checked/elements.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::checks {

#if CUDA_TILE_CHECKED_FULLY

/// An element of lhs * rhs + acc has a value where its row, its column and its addend have. `matrix<T>` gives
/// a tile's rows, columns and batches.
template <template <typename> typename matrix, typename L, typename R, typename A>
CUDA_TILE_API void after_mma(A& result, L const& lhs, R const& rhs, A const& acc) {
  using l = matrix<L>;
  using r = matrix<R>;
  (require_some_defined("mma", lhs), require_some_defined("mma", rhs), require_some_defined("mma", acc));
  checks::define(result);
  if (lhs.undefined != all_defined || rhs.undefined != all_defined || acc.undefined != all_defined)
    checks::set_undefined(result, [&](unsigned s) {
      unsigned const row = s / r::columns, batch = row / l::rows;
      unsigned const of_rhs = (r::batches == 1 ? 0 : batch * r::rows) * r::columns + s % r::columns;
      unsigned const of_lhs = (l::batches == 1 ? row % l::rows : row) * l::columns;
      return is_undefined(acc, s) || checks::is_any_undefined(lhs, of_lhs, l::columns, 1) ||
             checks::is_any_undefined(rhs, of_rhs, r::rows, r::columns);
    });
}

#else

template <template <typename> typename matrix, typename L, typename R, typename A>
CUDA_TILE_API void after_mma(A&, L const&, R const&, A const&) {}

#endif

} // namespace cuda::tiles::inline CUDA_TILE_ABI::checks
