// Operations on the elements of host vectors, for sums that have to stay in registers.
#pragma once

#include "cuda_tile/core/elements.h"
#include "cuda_tile/platform/host_vectors.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

template <typename F>
inline constexpr int vector_operation = 0;
template <>
inline constexpr int vector_operation<elements::add> = 1;
template <>
inline constexpr int vector_operation<elements::mul> = 2;
template <>
inline constexpr int vector_operation<elements::max> = 3;
template <>
inline constexpr int vector_operation<elements::min> = 4;

/// Whether F on `Lanes` elements E is computed in whole vectors.
template <typename F, typename E, unsigned Lanes>
inline constexpr bool has_vector_form =
    (is_same_v<E, float> || is_same_v<E, double>) && vector_operation<F> != 0 &&
    Lanes * sizeof(E) % platform::vector_bytes == 0;

/// The same as elements::extremum, provided that a is not NaN.
template <bool Max, typename V>
CUDA_TILE_API V extremum_of_vectors(V a, V b) {
  using bits = decltype(a < b);
  V greater = Max ? (b > a ? b : a) : (b < a ? b : a); // a where b is NaN
  bits zeros = Max ? (bits)a & (bits)b : (bits)a | (bits)b;
  return a == b ? (V)zeros : greater;
}

template <typename F, typename V>
CUDA_TILE_API V combine_vectors(V a, V b) {
  if constexpr (vector_operation<F> == 1) {
    return a + b;
  } else if constexpr (vector_operation<F> == 2) {
    return a * b;
  } else {
    V result = detail::extremum_of_vectors<vector_operation<F> == 3>(a, b);
    return a == a ? result : b;
  }
}

/// Reduces vectors v + Count, v + 2 Count, ... of N elements into c[v] by f.
template <typename F, unsigned N, unsigned Count, typename V, typename E>
CUDA_TILE_API void collect_vectors(V (&c)[Count], E const* from) {
  constexpr unsigned width = sizeof(V) / sizeof(E);
  for (unsigned i = Count * width; i < N; i += Count * width)
    for (unsigned v = 0; v < Count; ++v)
      c[v] = detail::combine_vectors<F>(c[v], platform::load_vector<V>(from + i + v * width));
}

/// For max and min: a lane becomes NaN only if all its values are.
template <typename F, unsigned N, unsigned Count, typename V, typename E>
  requires(vector_operation<F> >= 3)
CUDA_TILE_API void collect_vectors(V (&c)[Count], E const* from) {
  constexpr unsigned width = sizeof(V) / sizeof(E);
  constexpr bool is_max = vector_operation<F> == 3;
  decltype(c[0] == c[0]) numbers[Count];
  V first[Count];
  for (unsigned v = 0; v < Count; ++v) {
    first[v] = c[v];
    numbers[v] = c[v] == c[v];
    c[v] = numbers[v] ? c[v] : V{} + (is_max ? -elements::infinity<E>() : elements::infinity<E>());
  }
  for (unsigned i = Count * width; i < N; i += Count * width)
    for (unsigned v = 0; v < Count; ++v) {
      V next = platform::load_vector<V>(from + i + v * width);
      c[v] = detail::extremum_of_vectors<is_max>(c[v], next);
      numbers[v] |= next == next;
    }
  for (unsigned v = 0; v < Count; ++v)
    c[v] = numbers[v] ? c[v] : first[v];
}

/// Reduces N elements by f: every Lanes-th element first, then halves until one element is left.
template <unsigned N, unsigned Lanes, typename F, typename E>
CUDA_TILE_API E reduce_vectors(F, E const* from) {
  using V = platform::vector<E>;
  constexpr unsigned width = sizeof(V) / sizeof(E), count = Lanes / width;
  V c[count];
  for (unsigned v = 0; v < count; ++v)
    c[v] = platform::load_vector<V>(from + v * width);
  detail::collect_vectors<F, N>(c, from);
  for (unsigned half = count / 2; half > 0; half /= 2)
    for (unsigned v = 0; v < half; ++v)
      c[v] = detail::combine_vectors<F>(c[v], c[v + half]);
  if constexpr (width >= 16)
    c[0] = detail::combine_vectors<F>(c[0], platform::rotate_lanes<8>(c[0]));
  if constexpr (width >= 8)
    c[0] = detail::combine_vectors<F>(c[0], platform::rotate_lanes<4>(c[0]));
  if constexpr (width >= 4)
    c[0] = detail::combine_vectors<F>(c[0], platform::rotate_lanes<2>(c[0]));
  return detail::combine_vectors<F>(c[0], platform::rotate_lanes<1>(c[0]))[0];
}

/// Whether each vector is scanned by itself first; the sum before it is then added to it once.
template <typename F, typename E, unsigned N>
inline constexpr bool scans_vectors =
    is_same_v<F, elements::add> && has_vector_form<F, E, N> && N * sizeof(E) > platform::vector_bytes;

/// row[i] = row[0] + ... + row[i], of N elements. Lanes shifted in at the front are -0, which changes no sum.
template <unsigned N, typename E>
CUDA_TILE_API void add_partial_sums(E* row) {
  using V = platform::vector<E>;
  constexpr unsigned width = sizeof(V) / sizeof(E);
  V before = -V{};
  for (unsigned i = 0; i < N; i += width) {
    V v = platform::load_vector<V>(row + i);
    v += platform::shift_lanes<1>(v);
    if constexpr (width >= 4)
      v += platform::shift_lanes<2>(v);
    if constexpr (width >= 8)
      v += platform::shift_lanes<4>(v);
    if constexpr (width >= 16)
      v += platform::shift_lanes<8>(v);
    v += before;
    platform::store_vector(row + i, v);
    before = platform::splat_last(v);
  }
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
