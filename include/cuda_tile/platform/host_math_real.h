// Building blocks of the host's math functions: bits of float and double, sums and products with their
// errors.
//
// A math function of the host is one chain of operations without branches, so that compilers vectorise loops
// that call it. Whether it contracts products and sums (-ffp-contract) may change the last place of a result,
// but not the bounds of its error.
#pragma once

#include "cuda_tile/platform/host_arithmetic.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::platform::host_math {

// Compilers weigh the length of a function before they inline it into a loop; these must always be inlined.
#define CUDA_TILE_HOST_MATH inline __attribute__((always_inline))

template <typename T>
struct real;
template <>
struct real<float> {
  using bits = unsigned;
  static constexpr int digits = 24;
  static constexpr int bias = 127;
  static constexpr float round = 0x1.8p23f; // added to a number, rounds it to an integer
  static constexpr float largest = 0x1.fffffep127f;
  static constexpr float infinity = __builtin_inff();
  static constexpr float nan = __builtin_nanf("");
};
template <>
struct real<double> {
  using bits = unsigned long long;
  static constexpr int digits = 53;
  static constexpr int bias = 1023;
  static constexpr double round = 0x1.8p52;
  static constexpr double largest = 0x1.fffffffffffffp1023;
  static constexpr double infinity = __builtin_inf();
  static constexpr double nan = __builtin_nan("");
};
template <typename T>
using bits_of = typename real<T>::bits;

template <typename T>
inline constexpr bits_of<T> sign_bit = bits_of<T>(1) << (sizeof(T) * 8 - 1);

template <typename T>
CUDA_TILE_HOST_MATH bits_of<T> to_bits(T x) {
  return platform::bit_cast<bits_of<T>>(x);
}
template <typename T>
CUDA_TILE_HOST_MATH T from_bits(bits_of<T> bits) {
  return platform::bit_cast<T>(bits);
}
template <typename T>
CUDA_TILE_HOST_MATH T abs(T x) {
  return from_bits<T>(to_bits(x) & ~sign_bit<T>);
}
/// `x`, negated where the highest bit of `sign` is set.
template <typename T>
CUDA_TILE_HOST_MATH T flip_sign(T x, bits_of<T> sign) {
  return from_bits<T>(to_bits(x) ^ (sign & sign_bit<T>));
}

// Conditions as masks, all bits set where they hold: where there are many, g++ 12 does not vectorise ?:,
// because it threads the branches through the code around them.

/// a < b, for numbers that are not negative; NaN is beyond infinity.
template <typename T>
CUDA_TILE_HOST_MATH bits_of<T> less(T a, T b) {
  return bits_of<T>(0) - ((to_bits(a) - to_bits(b)) >> (sizeof(T) * 8 - 1));
}
template <typename T>
CUDA_TILE_HOST_MATH bits_of<T> is_negative(T x) {
  return bits_of<T>(0) - (to_bits(x) >> (sizeof(T) * 8 - 1));
}
/// Whether x is 0, for x that is not negative.
template <typename T>
CUDA_TILE_HOST_MATH bits_of<T> is_zero(T x) {
  return less(x, from_bits<T>(1));
}
/// Whether n is odd. g++ 16 would turn the negated lowest bit into branches, which it does not vectorise.
template <typename T>
CUDA_TILE_HOST_MATH bits_of<T> is_odd(bits_of<T> n) {
  return ((n & 1) ^ 1) - 1;
}
template <typename T>
CUDA_TILE_HOST_MATH T select(bits_of<T> mask, T a, T b) {
  return from_bits<T>((to_bits(a) & mask) | (to_bits(b) & ~mask));
}

/// An integer n as a number, and as bits, of which only the lowest digits - 3 are defined.
template <typename T>
struct integer {
  T value;
  bits_of<T> bits;
};

/// The integer nearest to x * factor, or a neighbour close to a tie; |x * factor| < 2^(digits - 2).
template <typename T>
CUDA_TILE_HOST_MATH integer<T> nearest_integer(T x, T factor) {
  T sum = multiply_add(x, factor, real<T>::round);
  return {sum - real<T>::round, to_bits(sum)};
}

/// 2^n, which has to be a normal number; n as in `integer`.
template <typename T>
CUDA_TILE_HOST_MATH T power_of_two(bits_of<T> n) {
  return from_bits<T>((n << (real<T>::digits - 1)) + (bits_of<T>(real<T>::bias) << (real<T>::digits - 1)));
}

/// Two normal factors of 2^n; |n| < 2 * bias, as in `integer`.
template <typename T>
struct factors {
  T first, second;
};
template <typename T>
CUDA_TILE_HOST_MATH factors<T> factors_of(bits_of<T> n) {
  constexpr int mantissa = real<T>::digits - 1;
  constexpr bits_of<T> one = bits_of<T>(real<T>::bias) << mantissa;
  bits_of<T> half = (n >> 1) << mantissa;
  return {from_bits<T>(half + one), from_bits<T>((n << mantissa) - half + one)};
}

/// x * 2^n, rounded once, for 0.25 < |x| < 4.
template <typename T>
CUDA_TILE_HOST_MATH T scale(T x, bits_of<T> n) {
  factors<T> power = factors_of<T>(n);
  return x * power.first * power.second;
}

/// The unevaluated sum high + low, with |low| at most about an ulp of high.
template <typename T>
struct pair {
  T high, low;
};

/// a + b with its error; |a| >= |b|, or a = 0, or the sum is exact.
template <typename T>
CUDA_TILE_HOST_MATH pair<T> exact_sum(T a, T b) {
  T sum = a + b;
  return {sum, (a - sum) + b};
}

/// a * b with its error.
template <typename T>
CUDA_TILE_HOST_MATH pair<T> exact_product(T a, T b) {
  T product = a * b;
  if constexpr (has_fma) {
    return {product, fma(a, b, -product)};
  } else {
    // Dekker: halves of the factors have exact products.
    constexpr bits_of<T> upper_half = ~bits_of<T>(0) << ((real<T>::digits + 1) / 2);
    T a1 = from_bits<T>(to_bits(a) & upper_half), b1 = from_bits<T>(to_bits(b) & upper_half);
    T a2 = a - a1, b2 = b - b1;
    return {product, ((a1 * b1 - product) + (a1 * b2 + a2 * b1)) + a2 * b2};
  }
}

/// a * b without the product of the low parts.
template <typename T>
CUDA_TILE_HOST_MATH pair<T> product(pair<T> a, pair<T> b) {
  pair<T> high = exact_product(a.high, b.high);
  return {high.high, multiply_add(a.high, b.low, multiply_add(a.low, b.high, high.low))};
}

/// a / b with parts low that are small; b.high is far from underflow and overflow.
template <typename T>
CUDA_TILE_HOST_MATH pair<T> quotient(pair<T> a, pair<T> b) {
  T inverse = T(1) / b.high;
  T high = a.high * inverse;
  pair<T> back = exact_product(high, b.high);
  T rest = ((a.high - back.high) - back.low) + (a.low - high * b.low);
  return {high, rest * inverse};
}

template <typename T>
CUDA_TILE_HOST_MATH T polynomial_by_pairs(T, T, T c0) {
  return c0;
}
template <typename T, typename... Rest>
CUDA_TILE_HOST_MATH T polynomial_by_pairs(T x, T square, T c0, T c1, Rest... rest) {
  T pair = multiply_add(x, c1, c0);
  if constexpr (sizeof...(rest) == 0)
    return pair;
  else
    return multiply_add(square, polynomial_by_pairs(x, square, rest...), pair);
}

/// c0 + c1 x + c2 x^2 + ..., two of Horner's steps at a time, which makes the chain half as long.
template <typename T, typename... C>
CUDA_TILE_HOST_MATH T polynomial(T x, C... c) {
  return polynomial_by_pairs(x, x * x, c...);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform::host_math
