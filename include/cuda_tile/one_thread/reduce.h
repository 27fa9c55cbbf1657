// The loops of reductions with one thread a block. tile/shared_primitives.h says how elements are numbered.
#pragma once

#include "cuda_tile/one_thread/short_maps.h"
#include "cuda_tile/one_thread/vector_reductions.h"
#include "cuda_tile/tile/tile.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// Combines the first half of S elements with the second one, until one element is left.
template <unsigned S, typename F, typename E>
CUDA_TILE_API E reduce_halves(F f, E const* x) {
  if constexpr (S == 1) {
    return *x;
  } else {
    E result[S / 2];
    for (unsigned l = 0; l < S / 2; ++l)
      result[l] = f(x[l], x[S / 2 + l]);
    return detail::reduce_halves<S / 2>(f, result);
  }
}

/// Reduces N neighbouring elements over explicit lanes, so that the loop vectorises without reordering by the
/// compiler.
template <unsigned N, typename E, typename F>
CUDA_TILE_API E reduce_run(F f, E const* from) {
  constexpr unsigned lanes = N < 32 ? N : 32;
  if constexpr (has_vector_form<F, E, lanes> || fits_short_vector<F, E, lanes>)
    return detail::reduce_vectors<N, lanes>(f, from);
  E sums[lanes];
  for (unsigned l = 0; l < lanes; ++l)
    sums[l] = from[l];
  for (unsigned i = lanes; i < N; i += lanes)
    detail::combine_elements<lanes>(f, sums, from + i);
  return detail::reduce_halves<lanes>(f, sums);
}

/// How many elements, or rows, a lane reduces one after another. If there are more, parts are reduced first:
/// otherwise a long sum would lose precision, and a bfloat16 sum of ones would stop at 256.
inline constexpr unsigned reduced_in_turn = 128;

/// Reduces N neighbouring elements, or N rows of Inner elements.
template <unsigned N, unsigned Inner, typename E, typename F>
CUDA_TILE_API void reduce_rows(E* to, F f, E const* from) {
  constexpr unsigned most = Inner == 1 ? 32 * reduced_in_turn : reduced_in_turn;
  if constexpr (N > most) {
    E parts[N / most * Inner];
    for (unsigned p = 0; p < N / most; ++p)
      detail::reduce_rows<most, Inner>(parts + p * Inner, f, from + p * most * Inner);
    detail::reduce_rows<N / most, Inner>(to, f, parts);
  } else if constexpr (Inner == 1) {
    *to = detail::reduce_run<N>(f, from);
  } else {
    for (unsigned j = 0; j < Inner; ++j)
      to[j] = from[j];
    for (unsigned k = 1; k < N; ++k)
      detail::combine_elements<Inner>(f, to, from + k * Inner);
  }
}

/// Whether short rows are reduced column by column, since compilers make slow code of each: they branch on
/// which of two numbers is greater, and convert halves one by one.
template <unsigned N, typename F, typename E>
inline constexpr bool reduces_columns =
    is_same_v<E, __half> ? N <= 32 && (N > 8 || !is_extremum<F>)
                         : N == 2 && is_extremum<F> && (is_same_v<E, float> || is_same_v<E, double>);

/// Reduces Rows rows of N elements, in the order of reduce_halves().
template <unsigned N, unsigned Rows, typename E, typename F>
CUDA_TILE_API void reduce_columns(E* to, F f, E const* from) {
  E columns[N][Rows];
  for (unsigned k = 0; k < N; ++k)
    for (unsigned o = 0; o < Rows; ++o)
      columns[k][o] = from[o * N + k];
  for (unsigned half = N / 2; half > 0; half /= 2)
    for (unsigned k = 0; k < half; ++k)
      detail::combine_elements<Rows>(f, columns[k], columns[half + k]);
  for (unsigned o = 0; o < Rows; ++o)
    to[o] = columns[0][o];
}

/// Reduces each N elements of a tile along a dimension whose neighbours are Inner elements apart.
template <unsigned N, unsigned Inner, typename R, typename F, typename T>
CUDA_TILE_API void reduce_elements(R& result, F f, T const& a) {
  using element = tile_element_t<T>;
  constexpr unsigned rows = T::distribution::size / (N * Inner), together = rows < 32 ? rows : 32;
  if constexpr (Inner == 1 && together > 1 && reduces_columns<N, F, element>) {
    for (unsigned o = 0; o < rows; o += together)
      detail::reduce_columns<N, together>(result.slots + o, f, a.slots + o * N);
  } else {
    for (unsigned o = 0; o < rows; ++o)
      detail::reduce_rows<N, Inner>(result.slots + o * Inner, f, a.slots + o * N * Inner);
  }
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
