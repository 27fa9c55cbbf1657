// Reductions and scans in host vectors, which have to stay in registers.
#pragma once

#include "cuda_tile/one_thread/vectors.h"

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
template <>
inline constexpr int vector_operation<elements::bit_and> = 5;
template <>
inline constexpr int vector_operation<elements::bit_or> = 6;

template <typename F>
inline constexpr bool is_bitwise = vector_operation<F> > 4;

/// Whether vectors of elements E are combined by F.
template <typename F, typename E>
inline constexpr bool combines_in_vectors = false;
template <typename F, typename E>
  requires(is_same_v<E, float> || is_same_v<E, double>)
inline constexpr bool combines_in_vectors<F, E> = vector_operation<F> != 0 && !is_bitwise<F>;
template <typename F, integral E>
  requires(sizeof(E) <= 4)
inline constexpr bool combines_in_vectors<F, E> =
    is_bitwise<F> || (!is_same_v<E, bool> && vector_operation<F> != 0 && vector_operation<F> != 2);

/// Whether F on `Lanes` elements E is computed in whole vectors.
template <typename F, typename E, unsigned Lanes>
inline constexpr bool has_vector_form =
    combines_in_vectors<F, E> && Lanes * sizeof(E) % platform::vector_bytes == 0;

/// Whether they fit in a vector that is shorter than others.
template <typename F, typename E, unsigned Lanes>
inline constexpr bool fits_short_vector =
    has_vector_form<F, E, platform::vector_bytes / sizeof(E)> && Lanes * sizeof(E) >= 16 &&
    Lanes * sizeof(E) < platform::vector_bytes;

// max and min of floats are found among integers, which have instructions for it whatever the signs of zeros.

template <typename F>
inline constexpr bool is_max = vector_operation<F> == 3;
template <typename F>
inline constexpr bool is_extremum = is_max<F> || vector_operation<F> == 4;

/// The bits of numbers as integers in their order, -0 before 0; its own inverse.
template <typename Bits>
CUDA_TILE_API Bits in_order(Bits b) {
  constexpr int sign = sizeof(b[0]) * 8 - 1;
  return b ^ ((b >> sign) & ~((Bits{} + 1) << sign));
}
/// For max and min integers of which the greatest counts; NaN becomes the least one.
template <typename F, typename V>
CUDA_TILE_API V before_combining(V x) {
  using bits = decltype(x == x);
  if constexpr (!is_extremum<F> || has_integers<V>)
    return x;
  bits const order = detail::in_order((bits)x);
  return x == x ? (V)(is_max<F> ? order : ~order) : -V{};
}
template <typename F, typename V>
CUDA_TILE_API V after_combining(V x) {
  using bits = decltype(x == x);
  if constexpr (!is_extremum<F> || has_integers<V>)
    return x;
  return (V)detail::in_order(is_max<F> ? (bits)x : ~(bits)x);
}
template <typename F, typename V>
CUDA_TILE_API V combine_vectors(V a, V b) {
  using bits = decltype(a == b);
  if constexpr (is_extremum<F> && !has_integers<V>)
    return (V)on_vectors<elements::max>::of((bits)a, (bits)b);
  else
    return on_vectors<F>::of(a, b);
}

template <typename F, unsigned Half, typename V>
CUDA_TILE_API V combine_halves_of_vector(V v) {
  if constexpr (Half == 0)
    return v;
  else
    return detail::combine_halves_of_vector<F, Half / 2>(
        detail::combine_vectors<F>(v, platform::rotate_lanes<Half>(v)));
}

/// Reduces the lanes of vectors that are ready for it: halves, until one element is left.
template <typename F, typename V, unsigned Count>
CUDA_TILE_API auto reduce_lanes(V (&c)[Count]) {
  constexpr unsigned width = sizeof(V) / sizeof(c[0][0]);
  for (unsigned half = Count / 2; half > 0; half /= 2)
    for (unsigned v = 0; v < half; ++v)
      c[v] = detail::combine_vectors<F>(c[v], c[v + half]);
  return detail::after_combining<F>(detail::combine_halves_of_vector<F, width / 2>(c[0]))[0];
}

/// Reduces N elements by f: every Lanes-th element first, then their sums.
template <unsigned N, unsigned Lanes, typename F, typename E>
CUDA_TILE_API E reduce_vectors(F, E const* from) {
  using V = platform::vector_of_most<typename lane<E>::type, Lanes>;
  constexpr unsigned width = sizeof(V) / sizeof(E), count = Lanes / width;
  auto vector_at = [from](unsigned i) {
    return detail::before_combining<F>(platform::load_vector<V>(from + i));
  };
  V c[count];
  for (unsigned v = 0; v < count; ++v)
    c[v] = vector_at(v * width);
  for (unsigned i = Lanes; i < N; i += Lanes)
    for (unsigned v = 0; v < count; ++v)
      c[v] = detail::combine_vectors<F>(c[v], vector_at(i + v * width));
  return static_cast<E>(detail::reduce_lanes<F>(c));
}

template <typename E>
using sums_vector = platform::vector<typename vector_element<E>::type>;

/// Whether each vector is scanned by itself first; the sum before it is then added to it once.
template <typename F, typename E, unsigned N>
inline constexpr bool scans_vectors =
    is_same_v<F, elements::add> && (combines_in_vectors<F, E> || (integral<E> && sizeof(E) == 8)) &&
    N * sizeof(E) % platform::vector_bytes == 0;

/// Adds to each lane those before it. Lanes shifted in at the front are -0, which changes no sum.
template <unsigned By = 1, typename V>
CUDA_TILE_API V add_before(V v) {
  constexpr unsigned width = sizeof(V) / sizeof(v[0]);
  if constexpr (By < width)
    return detail::add_before<2 * By>(v + platform::shift_lanes<By>(v));
  return v;
}

/// row[i] = row[0] + ... + row[i], of N elements.
template <unsigned N, typename E>
CUDA_TILE_API void add_partial_sums(E* row) {
  using V = sums_vector<E>;
  constexpr unsigned width = sizeof(V) / sizeof(E);
  V before = -V{};
  for (unsigned i = 0; i < N; i += width) {
    V const v = detail::add_before(platform::load_vector<V>(row + i)) + before;
    platform::store_vector(row + i, v);
    before = platform::splat_last(v);
  }
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
