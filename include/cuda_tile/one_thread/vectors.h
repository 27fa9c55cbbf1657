// What functions of elements are on host vectors, and how their lanes are converted and joined.
#pragma once

#include "cuda_tile/core/elements.h"
#include "cuda_tile/core/modes.h"
#include "cuda_tile/platform/host_vectors.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

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

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
