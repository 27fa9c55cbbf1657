// [2.6.1] Scan of a tile along one dimension by any function object; ops/reduce.h makes the API of it.
#pragma once

#if CUDA_TILE_ON_CUDA || CUDA_TILE_BLOCK_THREADS > 1
#include "cuda_tile/ops/scan_threads.h"
#endif
#include "cuda_tile/tile/exchange.h"
#if !CUDA_TILE_ON_CUDA && CUDA_TILE_BLOCK_THREADS == 1
#include "cuda_tile/ops/vector_elements.h"
#endif

namespace cuda::tiles::detail {

/// With one thread: each run of N elements, or N rows of Inner elements, from the first to the last.
template <unsigned N, unsigned Inner, typename F, typename T>
CUDA_TILE_API void scan_rows(T& result, F f) {
  for (unsigned o = 0; o < T::distribution::size / (N * Inner); ++o) {
    auto* row = result.slots + o * N * Inner;
#if !CUDA_TILE_ON_CUDA && CUDA_TILE_BLOCK_THREADS == 1
    if constexpr (Inner == 1 && scans_vectors<F, typename T::element_type, N>) {
      add_partial_sums<N>(row);
      continue;
    }
#endif
    for (unsigned k = 1; k < N; ++k)
      for (unsigned j = 0; j < Inner; ++j)
        row[k * Inner + j] = f(row[(k - 1) * Inner + j], row[k * Inner + j]);
  }
}

template <size_t D, typename F, typename T>
CUDA_TILE_API T scan(F f, T const& a) {
  using S = tile_shape_t<T>;
  constexpr unsigned n = static_cast<unsigned>(length<S>(D));
  constexpr unsigned inner = static_cast<unsigned>(length_product<S>(D + 1, S::rank()));
  checks::before_reduction<n, inner>(f, a);
  T result = normal(a);
  checks::after_scan<n, inner>(result, a);
#if CUDA_TILE_ON_CUDA || CUDA_TILE_BLOCK_THREADS > 1
  if constexpr (platform::block_threads > 1)
    scan_across_threads<n, inner>(result, f);
  else
#endif
    scan_rows<n, inner>(result, f);
  return result;
}

} // namespace cuda::tiles::detail
