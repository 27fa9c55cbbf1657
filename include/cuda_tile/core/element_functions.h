// Functions of elements that branch or inspect bits: integer division, extremes, modes and whatever else
// takes more than an instruction or two. The function objects in core/elements.h and core/modes.h delegate
// all such work to these functions. A back end that records kernels instead of running them can therefore
// replace this header (CUDA_TILE_ELEMENT_FUNCTIONS in config.h) with one in which each function is a named
// call. The same applies to the platform's functions, including fmod and the math functions, and to
// conversions; those of small floats go only through detail::to_float and detail::from_float
// (core/convert.h).
#pragma once

#include "cuda_tile/core/compute_types.h"
#include "cuda_tile/core/constants.h"
#include "cuda_tile/platform/platform.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::elements {

// ---- integers of one type

/// Quotient rounded to zero. A divisor of zero gives zero; the manual leaves it undefined.
template <typename E>
CUDA_TILE_API E divide_integers(E a, E b) {
  if constexpr (is_bool_v<E>) {
    return a && b;
  } else if constexpr (is_signed_v<E>) {
    if (b == E(-1))
      return elements::wrapped<E>(wide_unsigned<E>(0) - static_cast<wide_unsigned<E>>(a));
    return b == 0 ? E(0) : static_cast<E>(a / b);
  } else {
    return b == 0 ? E(0) : static_cast<E>(a / b);
  }
}

/// a - trunc(a / b) * b.
template <typename E>
CUDA_TILE_API E remainder_of_integers(E a, E b) {
  using W = wide_unsigned<E>;
  E const product = elements::wrapped<E>(static_cast<W>(elements::divide_integers(a, b)) * static_cast<W>(b));
  return elements::wrapped<E>(static_cast<W>(a) - static_cast<W>(product));
}

/// Quotient rounded down.
template <typename E>
CUDA_TILE_API E divide_integers_down(E a, E b) {
  E quotient = elements::divide_integers(a, b);
  if constexpr (is_signed_v<E>) {
    E rest = elements::remainder_of_integers(a, b);
    if (rest != 0 && (rest < 0) != (b < 0))
      return static_cast<E>(quotient - 1);
  }
  return quotient;
}

/// Quotient rounded up.
template <typename E>
CUDA_TILE_API E divide_integers_up(E a, E b) {
  E quotient = elements::divide_integers(a, b);
  E rest = elements::remainder_of_integers(a, b);
  bool same_sign = true;
  if constexpr (is_signed_v<E>)
    same_sign = (rest < 0) == (b < 0);
  return rest != E(0) && same_sign ? static_cast<E>(quotient + 1) : quotient;
}

/// The upper half of the product of the operands, treated as unsigned.
template <typename E>
CUDA_TILE_API E multiply_high(E a, E b) {
  if constexpr (is_bool_v<E>) {
    return false;
  } else if constexpr (sizeof(E) < 8) {
    // In the narrowest type that holds it: g++ 12 turns wider products of two shorts into signed ones.
    using P = conditional_t<sizeof(E) <= 2, unsigned, unsigned long long>;
    P product = static_cast<P>(static_cast<bits_t<E>>(a)) * static_cast<bits_t<E>>(b);
    return static_cast<E>(product >> bitwidth_v<E>);
  } else {
    unsigned long long x = static_cast<unsigned long long>(a), y = static_cast<unsigned long long>(b);
    unsigned long long x0 = x & 0xffffffffu, x1 = x >> 32, y0 = y & 0xffffffffu, y1 = y >> 32;
    unsigned long long low = x0 * y0, middle = x1 * y0 + (low >> 32),
                       middle2 = x0 * y1 + (middle & 0xffffffffu);
    return static_cast<E>(x1 * y1 + (middle >> 32) + (middle2 >> 32));
  }
}

// ---- all elements

template <typename E>
CUDA_TILE_API E clear_sign(E a) {
  using bits = bits_t<E>;
  return platform::bit_cast<E>(
      static_cast<bits>(platform::bit_cast<bits>(a) & (static_cast<bits>(~bits(0)) >> 1)));
}

/// Absolute value.
template <typename E>
CUDA_TILE_API E magnitude(E a) {
  if constexpr (is_floating_point_v<E>)
    return elements::clear_sign(a);
  else if constexpr (is_signed_v<E>)
    return a < 0 ? elements::wrapped<E>(wide_unsigned<E>(0) - static_cast<wide_unsigned<E>>(a)) : a;
  else
    return a;
}

/// The bits of a 16 bit floating point number as an integer in their order, -0 before 0; its own inverse.
CUDA_TILE_API short in_order(short bits) { return static_cast<short>(bits ^ ((bits >> 15) & 0x7fff)); }
/// a where a condition holds, else b; compilers would make branches of `?:`.
CUDA_TILE_API short chosen(bool condition, short a, short b) {
  int const all = -static_cast<int>(condition);
  return static_cast<short>((a & all) | (b & ~all));
}
/// Maximum or minimum of half or bfloat16, without conversions. A NaN counts less than every number.
template <bool Max, typename E>
CUDA_TILE_API E extremum_of_bits(E a, E b) {
  constexpr short infinity = format_of<E>::infinity, none = Max ? -0x8000 : 0x7fff, nan = 0x7fff;
  short p = platform::bit_cast<short>(a), q = platform::bit_cast<short>(b);
  p = elements::chosen(static_cast<short>(p & 0x7fff) > infinity, none, elements::in_order(p));
  q = elements::chosen(static_cast<short>(q & 0x7fff) > infinity, none, elements::in_order(q));
  short const found = (p > q) == Max ? p : q;
  return platform::bit_cast<E>(elements::chosen(found == none, nan, elements::in_order(found)));
}

/// Maximum or minimum. For floating point, IEEE 754 maximumNumber and minimumNumber: the result is NaN only
/// if both operands are, and -0 is less than +0.
template <bool Max, typename E>
CUDA_TILE_API E extremum_of(E a, E b) {
  if constexpr (is_integral_scalar_v<E>) {
    return (a > b) == Max ? a : b;
  } else if constexpr (sizeof(E) == 2 && !platform::small_floats_convert) {
    return elements::extremum_of_bits<Max>(a, b);
  } else {
    using C = compute_t<E>;
    using bits = bits_t<C>;
    C x = detail::convert<C>(a), y = detail::convert<C>(b);
    bits p = platform::bit_cast<bits>(x), q = platform::bit_cast<bits>(y);
    // Equal values can differ only in the sign of a zero.
    C result = x == y ? platform::bit_cast<C>(Max ? p & q : p | q) : (x > y) == Max ? x : y;
    if (x != x)
      result = y;
    if (y != y)
      result = x;
    return detail::convert<E>(result);
  }
}

/// a * b + c, rounded to odd in C, in which the products are exact: for half in float, for bfloat16 in
/// double. Without branches, which host compilers vectorise.
template <typename C>
CUDA_TILE_API C fma_to_odd(float a, float b, float c) {
  constexpr bits_t<C> infinity = sizeof(C) == 4 ? bits_t<C>(0x7f800000u) : bits_t<C>(0x7ff0000000000000u);
  C const product = static_cast<C>(a) * static_cast<C>(b), addend = c;
  C const sum = product + addend, part = sum - product;
  C const error = (product - (sum - part)) + (addend - part); // exact, or NaN
  auto const bits = platform::bit_cast<bits_t<C>>(sum), rest = platform::bit_cast<bits_t<C>>(error);
  bits_t<C> const toward_zero = (bits ^ rest) >> (8 * sizeof(C) - 1);
  bool const inexact = (rest << 1) - 1 < infinity << 1;
  return platform::bit_cast<C>(inexact ? (bits - toward_zero) | 1 : bits);
}
/// The same for values of half.
struct fma_of_halves {
  CUDA_TILE_API float operator()(float a, float b, float c) const {
    return elements::fma_to_odd<float>(a, b, c);
  }
};

/// a * b + c of half and bfloat16, rounded to odd first, so that rounding it again gives the correct result.
template <typename E>
CUDA_TILE_API E small_fma(E p, E q, E r) {
  float const a = detail::convert<float>(p), b = detail::convert<float>(q), c = detail::convert<float>(r);
  if constexpr (platform::small_floats_convert) {
    float below = platform::rounded::fma<2>(a, b, c), above = platform::rounded::fma<3>(a, b, c);
    return detail::convert<E>((platform::bit_cast<unsigned>(below) & 1) != 0 ? below : above);
  } else if constexpr (is_same_v<E, __half>) {
    return detail::convert<E>(fma_of_halves{}(a, b, c));
  } else {
    return detail::convert<E>(elements::fma_to_odd<double>(a, b, c));
  }
}

// ---- [1.9] modes

/// [1.9.2] Replaces subnormal floats by a zero of the same sign if the mode asks for it.
template <subnormals_rounding_mode SubMode, typename E>
CUDA_TILE_API E subround(E x) {
  if constexpr (SubMode == subnormals_rounding_mode::round_subnormals_to_zero) {
    unsigned b = platform::bit_cast<unsigned>(x);
    return (b & 0x7f800000u) == 0 ? platform::bit_cast<E>(b & 0x80000000u) : x;
  } else {
    return x;
  }
}

/// `x`, a float or double, rounded to a narrower type in the direction of Mode.
template <rounding_mode Mode, typename E, typename C>
CUDA_TILE_API E narrow(C x) {
  constexpr unsigned unit = is_same_v<E, __nv_tf32> ? 1u << 13 : 1; // one unit in the last place
  E nearest = detail::convert<E>(x);
  C back = detail::convert<C>(nearest);
  bool negative = (platform::bit_cast<bits_t<C>>(x) >> (8 * sizeof(C) - 1)) != 0;
  bool too_great = back > x, too_small = back < x;
  bool step_toward_zero = negative ? too_small : too_great;
  bool step_away = false;
  if constexpr (Mode == rounding_mode::round_toward_negative) {
    step_toward_zero = too_great && !negative;
    step_away = too_great && negative;
  } else if constexpr (Mode == rounding_mode::round_toward_positive) {
    step_toward_zero = too_small && negative;
    step_away = too_small && !negative;
  }
  auto b = platform::bit_cast<bits_t<E>>(nearest);
  // Adjacent values of one sign have adjacent bits as integers; infinity follows the greatest finite value.
  if (step_toward_zero)
    b = static_cast<decltype(b)>(b - unit);
  if (step_away)
    b = static_cast<decltype(b)>(b + unit);
  return platform::bit_cast<E>(b);
}

template <rounding_mode Mode>
inline constexpr bool is_precise =
    Mode == rounding_mode::round_ties_to_even || Mode == rounding_mode::round_toward_zero ||
    Mode == rounding_mode::round_toward_negative || Mode == rounding_mode::round_toward_positive;

// Functions that have modes; core/elements.h defines them.
struct add;
struct sub;
struct mul;
struct div;
struct fma;
struct sqrt;

/// A function object in a directed rounding mode, on float or double.
template <typename Function>
struct directed;
#define CUDA_TILE_DIRECTED(name, parameters, arguments)                                                      \
  template <>                                                                                                \
  struct directed<name> {                                                                                    \
    template <rounding_mode Mode, typename C>                                                                \
    CUDA_TILE_API static C apply parameters {                                                                \
      return platform::rounded::name<static_cast<int>(Mode)> arguments;                                      \
    }                                                                                                        \
  };
CUDA_TILE_DIRECTED(add, (C a, C b), (a, b))
CUDA_TILE_DIRECTED(sub, (C a, C b), (a, b))
CUDA_TILE_DIRECTED(mul, (C a, C b), (a, b))
CUDA_TILE_DIRECTED(div, (C a, C b), (a, b))
CUDA_TILE_DIRECTED(fma, (C a, C b, C c), (a, b, c))
CUDA_TILE_DIRECTED(sqrt, (C a), (a))
#undef CUDA_TILE_DIRECTED

/// [2.2.6] [2.4.8] The imprecise modes of div and sqrt, which take floats.
template <typename Function, rounding_mode Mode, typename... Rest>
CUDA_TILE_API float imprecise(float a, Rest... rest) {
  if constexpr (is_same_v<Function, sqrt>)
    return platform::approximate_sqrt(a);
  else if constexpr (Mode == rounding_mode::round_full)
    return platform::full_div(a, rest...);
  else
    return platform::approximate_div(a, rest...);
}

template <typename Function, rounding_mode Mode, typename E, typename... Rest>
CUDA_TILE_API E round_in_mode(E a, Rest... rest) {
  using C = compute_t<E>;
  if constexpr (Mode == rounding_mode::round_ties_to_even) {
    return Function{}(a, rest...);
  } else if constexpr (!is_precise<Mode>) {
    return elements::imprecise<Function, Mode>(a, rest...);
  } else {
    C result =
        directed<Function>::template apply<Mode, C>(detail::convert<C>(a), detail::convert<C>(rest)...);
    if constexpr (is_small_float<E>)
      return elements::narrow<Mode, E>(result);
    else
      return result;
  }
}

/// Function in a rounding mode and a subnormals mode.
template <typename Function, rounding_mode Mode, subnormals_rounding_mode SubMode, typename E,
          typename... Rest>
CUDA_TILE_API E in_rounding_mode(E a, Rest... rest) {
  return elements::subround<SubMode>(elements::round_in_mode<Function, Mode>(
      elements::subround<SubMode>(a), elements::subround<SubMode>(rest)...));
}

/// Function, a maximum or minimum, in a NaN mode and a subnormals mode.
template <typename Function, nan_propagation_mode NanMode, subnormals_rounding_mode SubMode, typename E>
CUDA_TILE_API E in_nan_mode(E a, E b) {
  if constexpr (NanMode == nan_propagation_mode::propagate_nan) {
    using C = compute_t<E>;
    C x = detail::convert<C>(a), y = detail::convert<C>(b);
    if (x != x)
      return a;
    if (y != y)
      return b;
  }
  return elements::subround<SubMode>(Function{}(a, b));
}

/// Function of one argument with flushed subnormals.
template <typename Function, subnormals_rounding_mode SubMode, typename E>
CUDA_TILE_API E in_subnormals_mode(E a) {
  return elements::subround<SubMode>(Function{}(elements::subround<SubMode>(a)));
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::elements
