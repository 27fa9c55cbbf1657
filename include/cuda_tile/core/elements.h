// What the arithmetic operations do to one pair of elements of one type: function objects, the meaning of
// [2.2].
//
// Integers are computed in the unsigned type of their width, so that what the manual leaves undefined wraps
// around here. bool has one bit: it adds modulo 2 [1.4.1]. Floating point types narrower than float are
// computed in float and rounded once more, which gives the correctly rounded result for these operations.
#pragma once

#include "cuda_tile/core/convert.h"
#include "cuda_tile/platform/platform.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::elements {

using namespace detail;

/// An unsigned type at least as wide as int, so that no promotion to a signed type happens.
template <typename E>
using wide_unsigned = conditional_t<sizeof(E) <= 4, unsigned int, unsigned long long>;

template <typename E>
CUDA_TILE_CONSTEXPR E wrapped(wide_unsigned<E> x) {
  if constexpr (is_bool_v<E>)
    return (x & 1u) != 0;
  else
    return static_cast<E>(x);
}

template <typename E>
inline constexpr bool is_small_float =
    is_floating_point_v<E> && floating_rank<E>() < floating_rank<__nv_tf32>();

/// The type in which an element is computed: float for the smaller floating point types.
template <typename E>
using compute_t = conditional_t<is_small_float<E>, float, E>;

#define CUDA_TILE_WRAPPING(name, op)                                                                         \
  struct name {                                                                                              \
    template <typename E>                                                                                    \
    CUDA_TILE_API E operator()(E a, E b) const {                                                             \
      using C = compute_t<E>;                                                                                \
      if constexpr (is_integral_scalar_v<E>)                                                                 \
        return wrapped<E>(static_cast<wide_unsigned<E>>(a) op static_cast<wide_unsigned<E>>(b));             \
      else                                                                                                   \
        return detail::convert<E>(platform::name(detail::convert<C>(a), detail::convert<C>(b)));             \
    }                                                                                                        \
  };
CUDA_TILE_WRAPPING(add, +)
CUDA_TILE_WRAPPING(sub, -)
CUDA_TILE_WRAPPING(mul, *)
#undef CUDA_TILE_WRAPPING

/// Quotient rounded to zero. A divisor of zero gives zero; the manual leaves it undefined.
template <typename E>
CUDA_TILE_API E divide_integers(E a, E b) {
  if constexpr (is_bool_v<E>) {
    return a && b;
  } else if constexpr (is_signed_v<E>) {
    if (b == E(-1))
      return wrapped<E>(wide_unsigned<E>(0) - static_cast<wide_unsigned<E>>(a));
    return b == 0 ? E(0) : static_cast<E>(a / b);
  } else {
    return b == 0 ? E(0) : static_cast<E>(a / b);
  }
}

struct div {
  template <typename E>
  CUDA_TILE_API E operator()(E a, E b) const {
    using C = compute_t<E>;
    if constexpr (is_integral_scalar_v<E>)
      return divide_integers(a, b);
    else
      return detail::convert<E>(platform::div(detail::convert<C>(a), detail::convert<C>(b)));
  }
};

/// [2.2.9] a - trunc(a / b) * b. Of two infinities NaN, as fmod.
struct remainder {
  template <typename E>
  CUDA_TILE_API E operator()(E a, E b) const {
    using C = compute_t<E>;
    if constexpr (is_integral_scalar_v<E>)
      return sub{}(a, mul{}(divide_integers(a, b), b));
    else
      return detail::convert<E>(platform::fmod(detail::convert<C>(a), detail::convert<C>(b)));
  }
};

/// [2.2.8]
struct floordiv {
  template <typename E>
  CUDA_TILE_API E operator()(E a, E b) const {
    E quotient = divide_integers(a, b);
    if constexpr (is_signed_v<E>) {
      E rest = remainder{}(a, b);
      if (rest != 0 && (rest < 0) != (b < 0))
        return static_cast<E>(quotient - 1);
    }
    return quotient;
  }
};

/// [2.2.7]
struct ceildiv {
  template <typename E>
  CUDA_TILE_API E operator()(E a, E b) const {
    E quotient = divide_integers(a, b);
    E rest = remainder{}(a, b);
    bool same_sign = true;
    if constexpr (is_signed_v<E>)
      same_sign = (rest < 0) == (b < 0);
    return rest != E(0) && same_sign ? static_cast<E>(quotient + 1) : quotient;
  }
};

/// [2.2.24] The upper half of the product of the operands taken as unsigned.
struct mulhi {
  template <typename E>
  CUDA_TILE_API E operator()(E a, E b) const {
    if constexpr (is_bool_v<E>) {
      return false;
    } else if constexpr (sizeof(E) < 8) {
      // In the narrowest type that holds it: of wider products of two shorts, g++ 12 makes signed ones.
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
};

/// [2.2.4]
struct negate {
  template <typename E>
  CUDA_TILE_API E operator()(E a) const {
    using C = compute_t<E>;
    if constexpr (is_integral_scalar_v<E>)
      return wrapped<E>(wide_unsigned<E>(0) - static_cast<wide_unsigned<E>>(a));
    else
      return detail::convert<E>(-detail::convert<C>(a));
  }
};

template <typename E>
CUDA_TILE_API E clear_sign(E a) {
  using bits = bits_t<E>;
  return platform::bit_cast<E>(
      static_cast<bits>(platform::bit_cast<bits>(a) & (static_cast<bits>(~bits(0)) >> 1)));
}

/// [2.2.22]
struct abs {
  template <typename E>
  CUDA_TILE_API E operator()(E a) const {
    if constexpr (is_floating_point_v<E>)
      return elements::clear_sign(a);
    else if constexpr (is_signed_v<E>)
      return a < 0 ? negate{}(a) : a;
    else
      return a;
  }
};

/// [2.2.20] [2.2.21] IEEE 754 maximumNumber and minimumNumber: a NaN counts only if both are, -0 is less than
/// +0.
template <bool Max>
struct extremum {
  template <typename E>
  CUDA_TILE_API E operator()(E a, E b) const {
    if constexpr (is_integral_scalar_v<E>) {
      return (a > b) == Max ? a : b;
    } else {
      using C = compute_t<E>;
      using bits = bits_t<C>;
      C x = detail::convert<C>(a), y = detail::convert<C>(b);
      bits p = platform::bit_cast<bits>(x), q = platform::bit_cast<bits>(y);
      // Equal values differ in nothing but the sign of a zero.
      C result = x == y ? platform::bit_cast<C>(Max ? p & q : p | q) : (x > y) == Max ? x : y;
      if (x != x)
        result = y;
      if (y != y)
        result = x;
      return detail::convert<E>(result);
    }
  }
};
using max = extremum<true>;
using min = extremum<false>;

// [2.2.10] comparison; NaN compares unequal to everything

#define CUDA_TILE_COMPARISON(name, op)                                                                       \
  struct name {                                                                                              \
    template <typename E>                                                                                    \
    CUDA_TILE_API bool operator()(E a, E b) const {                                                          \
      using C = compute_t<E>;                                                                                \
      return detail::convert<C>(a) op detail::convert<C>(b);                                                 \
    }                                                                                                        \
  };
CUDA_TILE_COMPARISON(equal, ==)
CUDA_TILE_COMPARISON(not_equal, !=)
CUDA_TILE_COMPARISON(less, <)
CUDA_TILE_COMPARISON(less_equal, <=)
CUDA_TILE_COMPARISON(greater, >)
CUDA_TILE_COMPARISON(greater_equal, >=)
#undef CUDA_TILE_COMPARISON

// [2.2.11] to [2.2.14] bits

struct bit_and {
  template <typename E>
  CUDA_TILE_API E operator()(E a, E b) const {
    return static_cast<E>(a & b);
  }
};
struct bit_or {
  template <typename E>
  CUDA_TILE_API E operator()(E a, E b) const {
    return static_cast<E>(a | b);
  }
};
struct bit_xor {
  template <typename E>
  CUDA_TILE_API E operator()(E a, E b) const {
    return static_cast<E>(a ^ b);
  }
};
/// 13.4 widens it to bool.
struct bit_not {
  template <typename E>
  CUDA_TILE_API E operator()(E a) const {
    if constexpr (is_bool_v<E>)
      return !a;
    else
      return static_cast<E>(~a);
  }
};

// [2.2.15] [2.2.16] shifts; a count outside of [0, bitwidth) is undefined and is taken modulo the width of
// the type here

template <typename E, typename N>
CUDA_TILE_API unsigned shift_count(N n) {
  return static_cast<unsigned>(n) % (sizeof(E) * 8);
}
struct shift_left {
  template <typename E, typename N>
  CUDA_TILE_API E operator()(E a, N n) const {
    return wrapped<E>(static_cast<wide_unsigned<E>>(a) << shift_count<E>(n));
  }
};
struct shift_right {
  template <typename E, typename N>
  CUDA_TILE_API E operator()(E a, N n) const {
    return static_cast<E>(a >> shift_count<E>(n));
  }
};

// [2.2.17] to [2.2.19] logic

struct logical_and { // not by &&, of which compilers make branches
  CUDA_TILE_API bool operator()(bool a, bool b) const { return (a & b) != 0; }
};
struct logical_or {
  CUDA_TILE_API bool operator()(bool a, bool b) const { return (a | b) != 0; }
};
struct logical_not {
  CUDA_TILE_API bool operator()(bool a) const { return !a; }
};

struct identity {
  template <typename E>
  CUDA_TILE_API E operator()(E a) const {
    return a;
  }
};
/// The second operand.
struct second {
  template <typename E>
  CUDA_TILE_API E operator()(E, E b) const {
    return b;
  }
};
/// [2.3.15] a where the condition is true, else b.
template <typename E>
struct choose {
  template <typename C>
  CUDA_TILE_API E operator()(C condition, E a, E b) const {
    return detail::convert<bool>(condition) ? a : b;
  }
};

/// fma of half and bfloat16: of the two floats next to the exact result the odd one, which rounds as the
/// exact result.
template <typename E>
CUDA_TILE_API E small_fma(float a, float b, float c) {
  float below = platform::rounded::fma<2>(a, b, c), above = platform::rounded::fma<3>(a, b, c);
  return detail::convert<E>((platform::bit_cast<unsigned>(below) & 1) != 0 ? below : above);
}

/// [2.2.23] a * b + c, rounded once.
struct fma {
  template <typename E>
  CUDA_TILE_API E operator()(E a, E b, E c) const {
    if constexpr (is_small_float<E>)
      return small_fma<E>(detail::convert<float>(a), detail::convert<float>(b), detail::convert<float>(c));
    else
      return platform::fma(a, b, c);
  }
};

/// [2.4.8] Correctly rounded, as all of these but rsqrt; half and bfloat16 through float.
struct sqrt {
  template <typename E>
  CUDA_TILE_API E operator()(E a) const {
    return detail::convert<E>(platform::sqrt(detail::convert<compute_t<E>>(a)));
  }
};

template <typename E>
CUDA_TILE_API E infinity() {
  if constexpr (is_same_v<E, double>)
    return platform::bit_cast<double>(0x7ff0000000000000ULL);
  else
    return detail::convert<E>(platform::bit_cast<float>(0x7f800000u));
}
template <typename E>
CUDA_TILE_API E quiet_nan() {
  if constexpr (is_same_v<E, double>)
    return platform::bit_cast<double>(0x7ff8000000000000ULL);
  else
    return detail::convert<E>(platform::bit_cast<float>(0x7fc00000u));
}
} // namespace cuda::tiles::inline CUDA_TILE_ABI::elements

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// A binary function on operands converted to E.
template <typename E, typename F>
struct on_converted {
  F f;
  template <typename A, typename B>
  CUDA_TILE_API auto operator()(A a, B b) const {
    return f(detail::convert<E>(a), detail::convert<E>(b));
  }
};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
