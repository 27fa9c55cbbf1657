// What functions of elements are on host vectors, and reductions in vectors, which have to stay in registers.
#pragma once

#include "cuda_tile/core/elements.h"
#include "cuda_tile/core/modes.h"
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

template <typename V>
inline constexpr bool has_integers = integral<remove_cvref_t<decltype(V{}[0])>>;

template <unsigned Size, bool Signed>
using integer_of_size = conditional_t<Signed, typename platform::signed_of_size<Size>::type,
                                      typename unsigned_of_size<Size>::type>;
/// Numbers as numbers of another type. Compilers have instructions for integers that become twice or half as
/// long, and for those of 32 bits that become floats, and otherwise convert one after the other.
template <typename To, typename From>
CUDA_TILE_API To convert_lanes(From x) {
  using from = remove_cvref_t<decltype(x[0])>;
  using to = remove_cvref_t<decltype(To{}[0])>;
  constexpr unsigned size = sizeof(from), lanes = sizeof(From) / size;
  constexpr unsigned next = size == sizeof(to) ? size : size < sizeof(to) ? 2 * size : size / 2;
  if constexpr (integral<from> && (next != sizeof(to) || (!integral<to> && size < sizeof(int)))) {
    using step = platform::vector<integer_of_size<next, is_signed_v<from>>, lanes * next>;
    return detail::convert_lanes<To>(__builtin_convertvector(x, step));
  } else {
    return __builtin_convertvector(x, To);
  }
}

/// Count elements E in one vector, of which make(first) makes Lanes.
template <typename E, unsigned Lanes, unsigned Count, typename Make>
CUDA_TILE_API auto join_lanes(Make make, unsigned first) {
  if constexpr (Count > Lanes)
    return platform::join_vectors<platform::vector<E, Count * sizeof(E)>>(
        detail::join_lanes<E, Lanes, Count / 2>(make, first),
        detail::join_lanes<E, Lanes, Count / 2>(make, first + Count / 2));
  else
    return make(first);
}

/// What a function of elements is on vectors, named `of`, if vectors have it.
template <typename F>
struct on_vectors {};

template <typename E, typename F>
struct on_vectors<on_converted<E, F>> : on_vectors<F> {};
template <typename F>
struct on_vectors<
    elements::rounded<F, rounding_mode::round_ties_to_even, subnormals_rounding_mode::preserve_subnormals>>
    : on_vectors<F> {};

/// Elements E of which vectors are added; integers wrap around.
template <typename E>
struct vector_element {
  using type = E;
};
template <integral E>
struct vector_element<E> : unsigned_of_size<sizeof(E)> {};
/// As integers without a sign, or as floats.
template <typename V>
using wrapping_vector =
    platform::vector<typename vector_element<remove_cvref_t<decltype(V{}[0])>>::type, sizeof(V)>;

#define CUDA_TILE_ON_VECTORS(name, ...)                                                                      \
  template <>                                                                                                \
  struct on_vectors<elements::name> {                                                                        \
    template <typename V>                                                                                    \
    CUDA_TILE_API static auto of(V a, V b) {                                                                 \
      return __VA_ARGS__;                                                                                    \
    }                                                                                                        \
  };
CUDA_TILE_ON_VECTORS(add, (V)((wrapping_vector<V>)a + (wrapping_vector<V>)b))
CUDA_TILE_ON_VECTORS(sub, (V)((wrapping_vector<V>)a - (wrapping_vector<V>)b))
CUDA_TILE_ON_VECTORS(mul, (V)((wrapping_vector<V>)a * (wrapping_vector<V>)b))
CUDA_TILE_ON_VECTORS(equal, a == b)
CUDA_TILE_ON_VECTORS(not_equal, a != b)
CUDA_TILE_ON_VECTORS(less, a < b)
CUDA_TILE_ON_VECTORS(less_equal, a <= b)
CUDA_TILE_ON_VECTORS(greater, a > b)
CUDA_TILE_ON_VECTORS(greater_equal, a >= b)
#undef CUDA_TILE_ON_VECTORS
#define CUDA_TILE_ON_VECTORS(name, condition, ...)                                                           \
  template <>                                                                                                \
  struct on_vectors<elements::name> {                                                                        \
    template <typename V>                                                                                    \
      requires(condition)                                                                                    \
    CUDA_TILE_API static V of(V a, V b) {                                                                    \
      return __VA_ARGS__;                                                                                    \
    }                                                                                                        \
  };
CUDA_TILE_ON_VECTORS(div, !has_integers<V>, a / b)
CUDA_TILE_ON_VECTORS(bit_and, has_integers<V>, a& b)
CUDA_TILE_ON_VECTORS(bit_or, has_integers<V>, a | b)
CUDA_TILE_ON_VECTORS(bit_xor, has_integers<V>, a ^ b)
#undef CUDA_TILE_ON_VECTORS

template <>
struct on_vectors<elements::negate> {
  template <typename V>
  CUDA_TILE_API static V of(V a) {
    return (V)(-(wrapping_vector<V>)a);
  }
};
template <>
struct on_vectors<elements::abs> {
  template <typename V>
  CUDA_TILE_API static V of(V a) {
    using bits = decltype(a < a);
    if constexpr (has_integers<V>)
      return a < 0 ? on_vectors<elements::negate>::of(a) : a;
    else
      return (V)((wrapping_vector<bits>)a << 1 >> 1); // without the sign
  }
};
template <bool Max>
struct on_vectors<elements::extremum<Max>> {
  template <typename V>
  CUDA_TILE_API static V of(V a, V b) {
    using bits = decltype(a < b);
    V const found = (Max ? a > b : a < b) ? a : b;
    if constexpr (has_integers<V>)
      return found;
    V const of_zeros = (V)(Max ? (bits)a & (bits)b : (bits)a | (bits)b); // equal values can differ in signs
    V const numbers = a == b ? of_zeros : found;
    return b != b ? a : a != a ? b : numbers;
  }
};
/// Conversions that are the same in vectors: map_vectors makes numbers E of all results.
template <typename E>
struct on_vectors<conversion_to<E>> {
  template <typename V>
    requires(!is_same_v<E, bool> && (has_integers<V> || is_same_v<E, double>)) // others: one_thread/halves.h
  CUDA_TILE_API static V of(V a) {
    return a;
  }
};
/// The condition is an integer.
template <typename E>
struct on_vectors<elements::choose<E>> {
  static constexpr bool chooses = true;
  template <typename C, typename V>
  CUDA_TILE_API static V of(C condition, V a, V b) {
    return detail::convert_lanes<decltype(a < b)>(condition) != 0 ? a : b;
  }
};

/// The numbers that elements are in vectors: those with `bits` are no more than these.
template <typename E>
struct lane {};
template <typename E>
  requires(is_same_v<E, float> || is_same_v<E, double>)
struct lane<E> {
  using type = E;
};
template <integral E>
struct lane<E> {
  using type = conditional_t<is_signed_v<E>, platform::bits_of_element<E>, bits_t<E>>;
};
template <typename E>
  requires requires { typename E::bits; }
struct lane<E> {
  using type = platform::bits_of_element<E>;
};
/// The same for a function. One that chooses between elements, which says so by `chooses`, moves bits alone.
template <typename F, typename E>
struct lane_for : lane<E> {};
template <typename F, typename E>
  requires(on_vectors<F>::chooses && sizeof(E) <= 8)
struct lane_for<F, E> {
  using type = platform::bits_of_element<E>;
};
template <typename F, typename E, unsigned Lanes>
using lanes_vector = platform::vector<typename lane_for<F, E>::type, Lanes * sizeof(E)>;

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
