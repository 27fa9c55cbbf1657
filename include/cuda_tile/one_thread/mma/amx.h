// Matrix multiplication with one thread on AMX, if the system permits its use and the product is exact there.
#pragma once

#include "cuda_tile/one_thread/mma/amx_tiles.h"
#include "cuda_tile/one_thread/mma/cpu.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// result (M x N) = acc + a (M x K) b (K x N), or false where AMX may not be used or would not be exact; acc
/// may be null, for zeros.
template <unsigned M, unsigned N, unsigned K, typename C, typename L, typename R>
CUDA_TILE_API bool multiply_with_amx(C* result, C const* acc, L const* a, R const* b) {
  namespace amx = platform::amx;
  using product = amx_product<C, L, R>;
  constexpr unsigned side = amx::tile_rows, units = static_cast<unsigned>(sizeof(C) / sizeof(R));
  if (!amx::is_permitted())
    return false;
  using factor = conditional_t<sizeof(R) == 1, unsigned char, R>;
  alignas(64) factor left[M * K];
  alignas(64) factor right[K * N];
  for (unsigned i = 0; i < M; i += side) {
    detail::copy_rows_to_tiles<K>(left + i * K, a + i * K, K);
    if (!product::template are_exact<side * K>(left + i * K))
      return false;
  }
  for (unsigned k = 0; k < K; k += units)
    detail::pack_row_of_units<units, N, bits_t<R>>(
        [&](unsigned j) { return detail::place_in_tiles(right, K * side, k / units, j); },
        reinterpret_cast<unsigned char const*>(b + k * N), N * sizeof(R));
  if (!product::template are_exact<K * N>(right))
    return false;
  detail::multiply_amx_tiles<product, M, N, K>(result, N, acc, N, left, right);
  return true;
}

namespace multiplications {

/// Where the system does not permit the use of AMX, or its result would not be exact, `cpu` multiplies
/// instead.
struct cpu_amx {
  static constexpr mma_unit unit = mma_unit::amx;

  template <typename L, typename R, typename A>
  CUDA_TILE_CONSTEXPR static bool takes() {
    using LE = tile_element_t<L>;
    using AE = tile_element_t<A>;
    if constexpr (amx_product<AE, LE, tile_element_t<R>>::exists)
      return matrix<A>::rows >= platform::amx::tile_rows && matrix<A>::columns >= platform::amx::tile_rows &&
             matrix<L>::columns * sizeof(LE) >= platform::amx::row_bytes;
    else
      return false;
  }
  template <typename L, typename R, typename A>
  CUDA_TILE_CONSTEXPR static bool takes_no_accumulator() {
    return cpu::takes_no_accumulator<L, R, A>();
  }

  template <typename L, typename R, typename A>
  CUDA_TILE_API static A multiply_add(L const& lhs, R const& rhs, A const& acc) {
    return detail::multiply_batches<cpu_amx, A>(lhs, rhs, acc.slots);
  }
  template <typename A, typename L, typename R>
  CUDA_TILE_API static A multiply(L const& lhs, R const& rhs) {
    return detail::multiply_batches<cpu_amx, A>(lhs, rhs, nullptr);
  }

  template <unsigned M, unsigned N, unsigned K, typename A, typename L, typename R>
  CUDA_TILE_API static void multiply_matrix(A* result, A const* acc, L const* a, R const* b) {
    if (!detail::multiply_with_amx<M, N, K>(result, acc, a, b))
      cpu::multiply_matrix<M, N, K>(result, acc, a, b);
  }
};

} // namespace multiplications
} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
