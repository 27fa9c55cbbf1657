// pow and rsqrt of float and double on the host.
//
// |x|^y = exp(y log |x|) with a logarithm of about 68 digits for double, and in double for float. Polynomials are least
// maximum fits: tests/math/coefficients.py makes them.
#pragma once

#include "cuda_tile/platform/host_math_log.h"

namespace cuda::tiles::platform::host_math {

/// log(x) of a finite x > 0, its error below 2^-64 of it.
CUDA_TILE_HOST_MATH pair<double> precise_log(double x) {
  using log2 = log2_constants<double>;
  split<double> parts = split_power(x);
  double f = parts.f;
  pair<double> s = quotient<double>({f, 0}, exact_sum(2.0, f));
  s = exact_sum(s.high, s.low);
  pair<double> z = exact_product(s.high, s.high);
  z.low = multiply_add(2 * s.high, s.low, z.low);
  // 2 atanh(s) = 2 s + s z (2/3 + z p(z))
  double p = polynomial(z.high, 0.4000000000000225, 0.2857142857010204, 0.22222222519518528, 0.1818178439964472,
                        0.15386755952793402, 0.13256847300075042, 0.13196076109952845);
  pair<double> c = exact_sum(0x1.5555555555555p-1, z.high * p);
  c.low += 0x1.5555555555555p-55;
  pair<double> t = exact_product(z.high, c.high);
  t.low += multiply_add(z.high, c.low, z.low * c.high);
  pair<double> tail = exact_product(s.high, t.high);
  tail.low += multiply_add(s.high, t.low, s.low * t.high);
  pair<double> part = exact_sum(2 * s.high, tail.high);
  part.low += multiply_add(2.0, s.low, tail.low);
  pair<double> sum = exact_sum(parts.k * log2::high, part.high);
  return exact_sum(sum.high, sum.low + multiply_add(parts.k, log2::low, part.low));
}

/// exp(t), which is `y` unless it is too large or too small.
template <typename T>
CUDA_TILE_HOST_MATH T limit_power(double t, T y) {
  y = t > (sizeof(T) == 4 ? 89 : 710) ? real<T>::infinity : y;
  return t < (sizeof(T) == 4 ? -104 : -746) ? T(0) : y;
}

/// |x|^y where x and y are neither zero, infinity nor NaN.
CUDA_TILE_HOST_MATH double power_of_magnitude(double x, double y) {
  pair<double> l = precise_log(abs(x)), t = exact_product(l.high, y);
  reduced<double> e = reduce(t.high);
  e.r = exact_sum(e.r.high, e.r.low + multiply_add(l.low, y, t.low));
  return limit_power(t.high, exp_of(e));
}

CUDA_TILE_HOST_MATH float power_of_magnitude(float x, float y) {
  split<double> parts = split_power(static_cast<double>(abs(x)));
  double f = parts.f, s = f / (2 + f), z = s * s;
  double p = polynomial(z, 0.6666666564794189, 0.4000033473312721, 0.2853733145906594, 0.23581813894567233);
  double log = multiply_add(parts.k, 0x1.62e42fefa39efp-1, multiply_add(s * z, p, 2 * s));
  double t = y * log;
  integer<double> n = nearest_integer(t, 0x1.71547652b82fep0);
  double r = multiply_add(-n.value, 0x1.62e42fefa39efp-1, t);
  double e = polynomial(r, 1.0, 1.0, 0.5000000077911932, 0.16666666859573986, 0.04166626992257628, 0.008333264611435935,
                        0.0013946074483052718, 0.00019918249704982624);
  return limit_power(t, static_cast<float>(e * power_of_two<double>(n.bits)));
}

/// A mask of whether x >= 0 is an integer.
template <typename T>
CUDA_TILE_HOST_MATH bits_of<T> is_integer(T x) {
  constexpr T unit = real<T>::round / T(1.5);  // from here on all are
  return mask<T>(x >= unit) | mask<T>((x + unit) - unit == x);
}

/// The cases of C's Annex F.
template <typename T>
CUDA_TILE_HOST_MATH T pow(T x, T y) {
  constexpr T infinity = real<T>::infinity;
  T ax = abs(x), ay = abs(y), result = power_of_magnitude(x, y);
  bits_of<T> whole = is_integer(ay), odd = whole & ~is_integer(ay * T(0.5));
  bits_of<T> x_infinite = mask<T>(ax == infinity), y_infinite = mask<T>(ay == infinity);
  bits_of<T> vanishes = ~(mask<T>(ax < 1) ^ mask<T>(y > 0));
  result = select(mask<T>(ax == 0) | x_infinite | y_infinite, select(vanishes, T(0), infinity), result);
  result = select(mask<T>(x < 0) & ~whole & ~x_infinite, real<T>::nan, result);
  result = flip_sign(result, to_bits(x) & odd);
  result = select(mask<T>(x != x) | mask<T>(y != y), real<T>::nan, result);
  return select(mask<T>(y == 0) | mask<T>(x == 1) | (mask<T>(ax == 1) & y_infinite), T(1), result);
}

CUDA_TILE_HOST_MATH float rsqrt(float x) { return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(x))); }

/// 1 / sqrt(x) with the errors of both operations taken back.
CUDA_TILE_HOST_MATH double rsqrt(double x) {
  bool is_small = x < 0x1p-800;
  double scaled = x * (is_small ? 0x1p200 : 1.0);
  double root = __builtin_sqrt(scaled), y = 1 / root;
  pair<double> square = exact_product(root, root), one = exact_product(root, y);
  double lost = (scaled - square.high) - square.low, rest = (1 - one.high) - one.low;
  double corrected = multiply_add(y, multiply_add(-0.5 * lost, y * y, rest), y) * (is_small ? 0x1p100 : 1.0);
  return select(mask<double>(x == 0) | mask<double>(x == real<double>::infinity), y, corrected);
}

}  // namespace cuda::tiles::platform::host_math
