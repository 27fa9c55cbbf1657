// log and log2 of float and double on the host.
//
// x = 2^k (1 + f) with 1 + f between sqrt(1/2) and sqrt(2). log(1 + f) is a polynomial in f for float and
// 2 atanh(s) with s = f / (2 + f), a polynomial in s^2, for double; they are least maximum fits:
// tests/math/coefficients.py makes them.
#pragma once

#include "cuda_tile/platform/host_math_exp.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::platform::host_math {

/// x = 2^k (1 + f).
template <typename T>
struct split {
  T k, f;
};

/// For finite x > 0, subnormal or not; the result for other numbers is unspecified.
template <typename T>
CUDA_TILE_HOST_MATH split<T> split_power(T x) {
  using R = real<T>;
  constexpr int mantissa = R::digits - 1;
  constexpr T smallest_normal = platform::bit_cast<T>(bits_of<T>(1) << mantissa);
  constexpr bits_of<T> one = bits_of<T>(R::bias) << mantissa, mask = (bits_of<T>(1) << mantissa) - 1;
  constexpr bits_of<T> half_root = platform::bit_cast<bits_of<T>>(static_cast<T>(0x1.6a09e667f3bcdp-1));
  bits_of<T> factor = to_bits(x < smallest_normal ? power_of_two<T>(R::digits) : T(1));
  bits_of<T> b = to_bits(x * from_bits<T>(factor)) + (one - half_root);
  T k = from_bits<T>(to_bits(R::round) + (b >> mantissa) - (factor >> mantissa)) - R::round;
  return {k, from_bits<T>((b & mask) + half_root) - 1};
}

/// log(1 + f) = f - h + ..., h = f^2 / 2, all but a small part of it in the high part.
template <typename T>
CUDA_TILE_HOST_MATH pair<T> log_of_sum(T f) {
  pair<T> h = exact_product(f, T(0.5) * f), high = exact_sum(f, -h.high);
  if constexpr (sizeof(T) == 4) {
    T p = polynomial(f, 0.6666666f, -0.50001645f, 0.40002453f, -0.33246705f, 0.28403518f, -0.26320484f,
                     0.2552325f, -0.15268809f);
    return {high.high, multiply_add(f * h.high, p, high.low - h.low)};
  } else {
    // 2 atanh(s) = f - h + s (h + z p), which takes fewer coefficients, but a division.
    T s = f / (2 + f), z = s * s;
    T p = polynomial(z, 0.6666666666666734, 0.3999999999941683, 0.2857142874197462, 0.22222198610312907,
                     0.18183562624834804, 0.1531408901933932, 0.14795609656958594);
    return {high.high, multiply_add(s, multiply_add(z, p, h.high), high.low - h.low)};
  }
}

/// `y` for finite x > 0, otherwise the logarithm's special values.
template <typename T>
CUDA_TILE_HOST_MATH T log_or_special(T x, T y) {
  y = x < real<T>::infinity ? y : x; // infinity or NaN
  y = x == 0 ? -real<T>::infinity : y;
  return x < 0 ? real<T>::nan : y;
}

template <typename T>
CUDA_TILE_HOST_MATH T log(T x) {
  split<T> parts = split_power(x);
  pair<T> part = log_of_sum(parts.f);
  pair<T> sum = exact_sum(parts.k * ln2<T>::high, part.high);
  return log_or_special(x, sum.high + (multiply_add(parts.k, ln2<T>::low, sum.low) + part.low));
}

template <typename T>
CUDA_TILE_HOST_MATH T log2(T x) {
  split<T> parts = split_power(x);
  pair<T> part = product<T>(log_of_sum(parts.f), {ln2<T>::inverse, ln2<T>::inverse_low});
  pair<T> sum = exact_sum(parts.k, part.high);
  return log_or_special(x, sum.high + (sum.low + part.low));
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform::host_math
