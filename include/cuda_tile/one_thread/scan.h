// The loops of scans with one thread a block.
#pragma once

#include "cuda_tile/one_thread/reduce.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// Scans N neighbouring elements, or N rows of Inner elements, from the first to the last.
template <unsigned N, unsigned Inner, typename E, typename F>
CUDA_TILE_API void scan_in_turn(E* rows, F f) {
  if constexpr (Inner == 1 && scans_vectors<F, E, N>) {
    detail::add_partial_sums<N>(rows);
    return;
  }
  for (unsigned k = 1; k < N; ++k)
    for (unsigned j = 0; j < Inner; ++j)
      rows[k * Inner + j] = f(rows[(k - 1) * Inner + j], rows[k * Inner + j]);
}

/// How many are scanned in turn. Longer scans are made of such parts, to each of which the total before it is
/// then added; as in a reduction, this preserves precision.
template <unsigned N, unsigned Inner, typename E, typename F>
CUDA_TILE_CONSTEXPR unsigned scanned_in_turn() {
  if constexpr (integral<E>)
    return N;
  else
    return reduced_in_turn * (Inner == 1 && scans_vectors<F, E, N> ? platform::vector_bytes / sizeof(E) : 1);
}

/// Scans N rows and combines each with the row before them, in one pass.
template <unsigned N, unsigned Inner, typename E, typename F>
CUDA_TILE_API void scan_behind(E* rows, F f) {
  E const* before = rows - Inner;
  E result[Inner];
  for (unsigned j = 0; j < Inner; ++j) {
    result[j] = rows[j];
    rows[j] = f(before[j], result[j]);
  }
  for (unsigned k = 1; k < N; ++k)
    for (unsigned j = 0; j < Inner; ++j) {
      result[j] = f(result[j], rows[k * Inner + j]);
      rows[k * Inner + j] = f(before[j], result[j]);
    }
}

template <unsigned N, unsigned Inner, typename E, typename F>
CUDA_TILE_API void scan_parts(E* rows, F f) {
  constexpr unsigned most = scanned_in_turn<N, Inner, E, F>();
  if constexpr (N <= most) {
    detail::scan_in_turn<N, Inner>(rows, f);
  } else {
    constexpr unsigned part = N / most < most ? most : N / most;
    detail::scan_parts<part, Inner>(rows, f);
    for (E* next = rows + part * Inner; next != rows + N * Inner; next += part * Inner) {
      if constexpr (part == reduced_in_turn && Inner > 1) {
        detail::scan_behind<part, Inner>(next, f);
      } else {
        E const* before = next - Inner;
        detail::scan_parts<part, Inner>(next, f);
        for (unsigned k = 0; k < part; ++k)
          for (unsigned j = 0; j < Inner; ++j)
            next[k * Inner + j] = f(before[j], next[k * Inner + j]);
      }
    }
  }
}

template <unsigned N, unsigned Inner, typename F, typename T>
CUDA_TILE_API void scan_elements(T& result, F f) {
  for (unsigned o = 0; o < T::distribution::size / (N * Inner); ++o)
    detail::scan_parts<N, Inner>(result.slots + o * N * Inner, f);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
