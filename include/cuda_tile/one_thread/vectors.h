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
    (is_same_v<E, float> || is_same_v<E, double> ||
     (integral<E> && sizeof(E) == 4 && vector_operation<F> != 2)) &&
    vector_operation<F> != 0 && Lanes * sizeof(E) % platform::vector_bytes == 0;

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

template <typename V>
inline constexpr bool has_integers = integral<remove_cvref_t<decltype(V{}[0])>>;

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
  using wrapping = platform::vector<unsigned, sizeof(V)>;
  if constexpr (has_integers<V> && vector_operation<F> == 1)
    return (V)((wrapping)a + (wrapping)b);
  else if constexpr (has_integers<V>)
    return (is_max<F> ? a > b : a < b) ? a : b;
  else if constexpr (vector_operation<F> == 1)
    return a + b;
  else if constexpr (vector_operation<F> == 2)
    return a * b;
  else
    return (V)((bits)a > (bits)b ? (bits)a : (bits)b);
}

/// Reduces the lanes of vectors that are ready for it: halves, until one element is left.
template <typename F, typename V, unsigned Count>
CUDA_TILE_API auto reduce_lanes(V (&c)[Count]) {
  constexpr unsigned width = sizeof(V) / sizeof(c[0][0]);
  for (unsigned half = Count / 2; half > 0; half /= 2)
    for (unsigned v = 0; v < half; ++v)
      c[v] = detail::combine_vectors<F>(c[v], c[v + half]);
  if constexpr (width >= 16)
    c[0] = detail::combine_vectors<F>(c[0], platform::rotate_lanes<8>(c[0]));
  if constexpr (width >= 8)
    c[0] = detail::combine_vectors<F>(c[0], platform::rotate_lanes<4>(c[0]));
  if constexpr (width >= 4)
    c[0] = detail::combine_vectors<F>(c[0], platform::rotate_lanes<2>(c[0]));
  c[0] = detail::combine_vectors<F>(c[0], platform::rotate_lanes<1>(c[0]));
  return detail::after_combining<F>(c[0])[0];
}

/// Reduces N elements by f: every Lanes-th element first, then their sums.
template <unsigned N, unsigned Lanes, typename F, typename E>
CUDA_TILE_API E reduce_vectors(F, E const* from) {
  constexpr unsigned bytes =
      Lanes * sizeof(E) < platform::vector_bytes ? Lanes * sizeof(E) : platform::vector_bytes;
  using V = platform::vector<E, bytes>;
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
  return detail::reduce_lanes<F>(c);
}

/// Elements E of which vectors are added; integers wrap around.
template <typename E>
struct vector_element {
  using type = E;
};
template <integral E>
struct vector_element<E> : unsigned_of_size<sizeof(E)> {};
template <typename E>
using sums_vector = platform::vector<typename vector_element<E>::type>;

/// Whether each vector is scanned by itself first; the sum before it is then added to it once.
template <typename F, typename E, unsigned N>
inline constexpr bool scans_vectors =
    is_same_v<F, elements::add> && (has_vector_form<F, E, N> || (integral<E> && sizeof(E) >= 4)) &&
    N * sizeof(E) % platform::vector_bytes == 0 && N * sizeof(E) > platform::vector_bytes;

/// Adds to each lane those before it. Lanes shifted in at the front are -0, which changes no sum.
template <typename V>
CUDA_TILE_API V add_before(V v) {
  constexpr unsigned width = sizeof(V) / sizeof(v[0]);
  v += platform::shift_lanes<1>(v);
  if constexpr (width >= 4)
    v += platform::shift_lanes<2>(v);
  if constexpr (width >= 8)
    v += platform::shift_lanes<4>(v);
  if constexpr (width >= 16)
    v += platform::shift_lanes<8>(v);
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
