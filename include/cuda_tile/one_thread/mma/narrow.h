// Matrix multiplication with one thread by plain loops, for tiles that are narrower than a vector.
#pragma once

#include "cuda_tile/one_thread/halves.h"
#include "cuda_tile/tile/matrix.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// sums (M x N) += a (M x Depth) b (Depth x N); rows of a are K apart. Compilers vectorise the columns of
/// loops in this order.
template <unsigned M, unsigned N, unsigned K, unsigned Depth, typename C, typename L, typename R>
CUDA_TILE_API void add_narrow_products(C* sums, L const* a, R const* b) {
  for (unsigned i = 0; i < M; ++i)
    for (unsigned j = 0; j < N; ++j) {
      C sum = sums[i * N + j];
      for (unsigned k = 0; k < Depth; ++k)
        sum = detail::multiply_add<C>(a[i * K + k], b[k * N + j], sum);
      sums[i * N + j] = sum;
    }
}

/// result (M x N) = acc + a (M x K) b (K x N), summed as C. Parts of a long row are summed separately first,
/// which keeps the sum more precise.
template <unsigned M, unsigned N, unsigned K, typename C, typename A, typename L, typename R>
CUDA_TILE_API void multiply_narrow(A* result, A const* acc, L const* a, R const* b) {
  if constexpr (!is_same_v<L, C> || !is_same_v<R, C>) { // each element once, not for each product
    alignas(64) C left[M * K], right[K * N];
    detail::convert_elements<M * K>(left, a);
    detail::convert_elements<K * N>(right, b);
    return detail::multiply_narrow<M, N, K, C>(result, acc, left, right);
  }
  constexpr unsigned depth = K < 512 ? K : 512;
  C sums[M * N];
  for (unsigned i = 0; i < M * N; ++i)
    sums[i] = detail::convert<C>(acc[i]);
  detail::add_narrow_products<M, N, K, depth>(sums, a, b);
  for (unsigned k = depth; k < K; k += depth) {
    C parts[M * N];
    for (unsigned i = 0; i < M * N; ++i)
      parts[i] = -C{};
    detail::add_narrow_products<M, N, K, depth>(parts, a + k, b + k * N);
    for (unsigned i = 0; i < M * N; ++i)
      sums[i] = elements::add{}(sums[i], parts[i]);
  }
  for (unsigned i = 0; i < M * N; ++i)
    result[i] = detail::convert<A>(sums[i]);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
