// What the arithmetic operations do to one pair of elements of one type: function objects that define the
// meaning of [2.2].
//
// Integers are computed in the unsigned type of their width, so overflow, which the manual leaves undefined,
// wraps around here. bool has one bit and adds modulo 2 [1.4.1]. Floating point types narrower than float are
// computed in float and rounded once more, which gives the correctly rounded result for these operations.
#pragma once

#include "cuda_tile/core/compute_types.h"
#include "cuda_tile/platform/platform.h"
#include CUDA_TILE_ELEMENT_FUNCTIONS

namespace cuda::tiles::inline CUDA_TILE_ABI::elements {

using namespace detail;

/// Functions of floating point elements that convert their operands to compute_t, and a result of that type
/// back.
struct in_compute_type {};

#define CUDA_TILE_WRAPPING(name, op)                                                                         \
  struct name : in_compute_type {                                                                            \
    template <typename E>                                                                                    \
    CUDA_TILE_API E operator()(E a, E b) const {                                                             \
      using C = compute_t<E>;                                                                                \
      if constexpr (is_integral_scalar_v<E>)                                                                 \
        return elements::wrapped<E>(static_cast<wide_unsigned<E>>(a) op static_cast<wide_unsigned<E>>(b));   \
      else                                                                                                   \
        return detail::convert<E>(platform::name(detail::convert<C>(a), detail::convert<C>(b)));             \
    }                                                                                                        \
  };
CUDA_TILE_WRAPPING(add, +)
CUDA_TILE_WRAPPING(sub, -)
CUDA_TILE_WRAPPING(mul, *)
#undef CUDA_TILE_WRAPPING

struct div : in_compute_type {
  template <typename E>
  CUDA_TILE_API E operator()(E a, E b) const {
    using C = compute_t<E>;
    if constexpr (is_integral_scalar_v<E>)
      return elements::divide_integers(a, b);
    else
      return detail::convert<E>(platform::div(detail::convert<C>(a), detail::convert<C>(b)));
  }
};

/// [2.2.9] a - trunc(a / b) * b. For two infinities the result is NaN, as with fmod.
struct remainder : in_compute_type {
  template <typename E>
  CUDA_TILE_API E operator()(E a, E b) const {
    using C = compute_t<E>;
    if constexpr (is_integral_scalar_v<E>)
      return elements::remainder_of_integers(a, b);
    else
      return detail::convert<E>(platform::fmod(detail::convert<C>(a), detail::convert<C>(b)));
  }
};

/// [2.2.8]
struct floordiv {
  template <typename E>
  CUDA_TILE_API E operator()(E a, E b) const {
    return elements::divide_integers_down(a, b);
  }
};

/// [2.2.7]
struct ceildiv {
  template <typename E>
  CUDA_TILE_API E operator()(E a, E b) const {
    return elements::divide_integers_up(a, b);
  }
};

/// [2.2.24] The upper half of the product of the operands, treated as unsigned.
struct mulhi {
  template <typename E>
  CUDA_TILE_API E operator()(E a, E b) const {
    return elements::multiply_high(a, b);
  }
};

/// [2.2.4]
struct negate : in_compute_type {
  template <typename E>
  CUDA_TILE_API E operator()(E a) const {
    using C = compute_t<E>;
    if constexpr (is_integral_scalar_v<E>)
      return elements::wrapped<E>(wide_unsigned<E>(0) - static_cast<wide_unsigned<E>>(a));
    else
      return detail::convert<E>(-detail::convert<C>(a));
  }
};

/// [2.2.22]
struct abs {
  template <typename E>
  CUDA_TILE_API E operator()(E a) const {
    return elements::magnitude(a);
  }
};

/// [2.2.20] [2.2.21] IEEE 754 maximumNumber and minimumNumber: the result is NaN only if both operands are,
/// and -0 is less than +0.
template <bool Max>
struct extremum {
  template <typename E>
  CUDA_TILE_API E operator()(E a, E b) const {
    return elements::extremum_of<Max>(a, b);
  }
};
using max = extremum<true>;
using min = extremum<false>;

// [2.2.10] comparison; NaN compares unequal to everything

#define CUDA_TILE_COMPARISON(name, op)                                                                       \
  struct name : in_compute_type {                                                                            \
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
/// CUDA 13.4 also accepts bool.
struct bit_not {
  template <typename E>
  CUDA_TILE_API E operator()(E a) const {
    if constexpr (is_bool_v<E>)
      return !a;
    else
      return static_cast<E>(~a);
  }
};

// [2.2.15] [2.2.16] shifts; a count outside [0, bitwidth) is undefined, and is taken modulo the width of the
// type here

template <typename E, typename N>
CUDA_TILE_API unsigned shift_count(N n) {
  return static_cast<unsigned>(n) % (sizeof(E) * 8);
}
struct shift_left {
  template <typename E, typename N>
  CUDA_TILE_API E operator()(E a, N n) const {
    return elements::wrapped<E>(static_cast<wide_unsigned<E>>(a) << elements::shift_count<E>(n));
  }
};
struct shift_right {
  template <typename E, typename N>
  CUDA_TILE_API E operator()(E a, N n) const {
    return static_cast<E>(a >> elements::shift_count<E>(n));
  }
};

// [2.2.17] to [2.2.19] logic

struct logical_and { // not written with &&, which compilers turn into branches
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

/// [2.2.23] a * b + c, rounded once.
struct fma {
  template <typename E>
  CUDA_TILE_API E operator()(E a, E b, E c) const {
    if constexpr (is_small_float<E>)
      return elements::small_fma(a, b, c);
    else
      return platform::fma(a, b, c);
  }
};

/// [2.4.8] Correctly rounded, like all of these except rsqrt; half and bfloat16 are computed in float.
struct sqrt : in_compute_type {
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
/// With the first bit of the mantissa alone, where a format has more than one NaN; conversions set all bits.
template <typename E>
CUDA_TILE_API E quiet_nan() {
  using traits = scalar_traits<E>;
  if constexpr (is_same_v<E, double>)
    return platform::bit_cast<double>(0x7ff8000000000000ULL);
  else if constexpr (traits::bits <= 16 && traits::beyond == beyond_finite::infinity)
    return platform::bit_cast<E>(
        static_cast<bits_t<E>>(format_of<E>::infinity | 1u << (traits::mantissa_bits - 1)));
  else
    return detail::convert<E>(platform::bit_cast<float>(0x7fc00000u));
}
} // namespace cuda::tiles::inline CUDA_TILE_ABI::elements

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// A function on operands converted to E.
template <typename E, typename F>
struct on_converted {
  F f;
  template <typename... Operands>
  CUDA_TILE_ALWAYS_INLINE auto operator()(Operands... x) const {
    return f(detail::convert<E>(x)...);
  }
};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
