// Matrix multiplication with one thread on any processor.
#pragma once

#include "cuda_tile/one_thread/mma/blocks.h"
#include "cuda_tile/one_thread/mma/narrow.h"
#include "cuda_tile/tile/multiplication.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// Multiplies each matrix of a batch with Model::multiply_matrix; acc: slots of the accumulator, or null for
/// zeros.
template <typename Model, typename A, typename L, typename R>
CUDA_TILE_API A multiply_batches(L const& lhs, R const& rhs, tile_element_t<A> const* acc) {
  using l = matrix<L>;
  using r = matrix<R>;
  constexpr unsigned size = l::rows * r::columns;
  A result;
  for (unsigned batch = 0; batch < matrix<A>::batches; ++batch)
    Model::template multiply_matrix<l::rows, r::columns, l::columns>(
        result.slots + batch * size, acc == nullptr ? nullptr : acc + batch * size,
        lhs.slots + (l::batches == 1 ? 0 : batch * l::rows * l::columns),
        rhs.slots + (r::batches == 1 ? 0 : batch * r::rows * r::columns));
  return result;
}

namespace multiplications {

struct cpu {
  static constexpr mma_unit unit = mma_unit::blocks;

  template <typename L, typename R, typename A>
  CUDA_TILE_CONSTEXPR static bool takes() {
    return true;
  }
  /// Whether multiply() can be called, which saves making, converting and reading an accumulator.
  template <typename L, typename R, typename A>
  CUDA_TILE_CONSTEXPR static bool takes_no_accumulator() {
    using C = accumulator_t<tile_element_t<A>>;
    return is_same_v<C, tile_element_t<A>> && fits_blocks<C, matrix<A>::columns, matrix<L>::columns>;
  }

  template <typename L, typename R, typename A>
  CUDA_TILE_API static A multiply_add(L const& lhs, R const& rhs, A const& acc) {
    return detail::multiply_batches<cpu, A>(lhs, rhs, acc.slots);
  }
  template <typename A, typename L, typename R>
  CUDA_TILE_API static A multiply(L const& lhs, R const& rhs) {
    return detail::multiply_batches<cpu, A>(lhs, rhs, nullptr);
  }

  /// result (M x N) = acc + a (M x K) b (K x N).
  template <unsigned M, unsigned N, unsigned K, typename A, typename L, typename R>
  CUDA_TILE_API static void multiply_matrix(A* result, A const* acc, L const* a, R const* b) {
    using C = accumulator_t<A>;
    if constexpr (fits_blocks<C, N, K>)
      detail::multiply_blocks<M, N, K, C>(result, acc, a, b);
    else
      detail::multiply_narrow<M, N, K, C>(result, acc, a, b);
  }
};

} // namespace multiplications
} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
