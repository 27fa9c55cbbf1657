// pow and rsqrt of float and double on the host.
//
// |x|^y = exp(y log |x|), the logarithm of a double as a pair, that of a float in double. Polynomials are
// least maximum fits: tests/math/coefficients.py makes them.
#pragma once

#include "cuda_tile/platform/host_math_log.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::platform::host_math {

/// log(x) of a finite x > 0, with a relative error below 2^-64.
CUDA_TILE_HOST_MATH pair<double> precise_log(double x) {
  split<double> parts = split_power(x);
  pair<double> s = quotient<double>({parts.f, 0}, exact_sum(2.0, parts.f));
  s = exact_sum(s.high, s.low);
  // 2 atanh(s) = 2 s + s z (2/3 + z p(z)) with z = s^2
  pair<double> z = product(s, s);
  double p = polynomial(z.high, 0.4000000000000225, 0.2857142857010204, 0.22222222519518528,
                        0.1818178439964472, 0.15386755952793402, 0.13256847300075042, 0.13196076109952845);
  pair<double> c = exact_sum(0x1.5555555555555p-1, z.high * p);
  c.low += 0x1.5555555555555p-55;
  pair<double> tail = product(s, product(z, c));
  pair<double> part = exact_sum(2 * s.high, tail.high);
  part.low += multiply_add(2.0, s.low, tail.low);
  pair<double> sum = exact_sum(parts.k * ln2<double>::high, part.high);
  return exact_sum(sum.high, sum.low + multiply_add(parts.k, ln2<double>::low, part.low));
}

/// exp(t), which is `y` unless it is too large or too small.
template <typename T>
CUDA_TILE_HOST_MATH T limit_power(T t, T y) {
  T too_much = select(is_negative(t), T(0), real<T>::infinity);
  return select(less(sizeof(T) == 4 ? T(104) : T(746), abs(t)), too_much, y);
}

/// |x|^y where x and y are neither zero, infinity nor NaN.
CUDA_TILE_HOST_MATH double power_of_magnitude(double x, double y) {
  pair<double> t = product(precise_log(abs(x)), {y, 0});
  reduced<double> e = reduce(t.high);
  e.r = exact_sum(e.r.high, e.r.low + t.low);
  return limit_power(t.high, exp_of(e));
}

CUDA_TILE_HOST_MATH float power_of_magnitude(float x, float y) {
  split<double> parts = split_power(static_cast<double>(abs(x)));
  double f = parts.f, s = f / (2 + f), z = s * s;
  double p = polynomial(z, 0.6666666564794189, 0.4000033473312721, 0.2853733145906594, 0.23581813894567233);
  double log = multiply_add(parts.k, ln2<double>::nearest, multiply_add(s * z, p, 2 * s));
  double t = y * log;
  integer<double> n = nearest_integer(t, ln2<double>::inverse);
  double r = multiply_add(-n.value, ln2<double>::nearest, t);
  double e = multiply_add(r, short_exponential(r), 1.0);
  return limit_power(static_cast<float>(t), static_cast<float>(e * power_of_two<double>(n.bits)));
}

/// For x >= 0, as a mask.
template <typename T>
CUDA_TILE_HOST_MATH bits_of<T> is_integer(T x) {
  constexpr T unit = real<T>::round / T(1.5); // all numbers from here on are integers
  return ~less(x, unit) | is_zero(abs((x + unit) - unit - x));
}

/// The cases of C's Annex F.
template <typename T>
CUDA_TILE_HOST_MATH T pow(T x, T y) {
  constexpr T infinity = real<T>::infinity, largest = real<T>::largest;
  T ax = abs(x), ay = abs(y), result = power_of_magnitude(x, y);
  bits_of<T> whole = is_integer(ay), odd = whole & ~is_integer(ay * T(0.5));
  bits_of<T> x_nan = less(infinity, ax), y_nan = less(infinity, ay), below_one = less(ax, T(1));
  bits_of<T> x_infinite = less(largest, ax) & ~x_nan, y_infinite = less(largest, ay) & ~y_nan;
  T extreme = select(below_one ^ is_negative(y), T(0), infinity);
  result = select(is_zero(ax) | x_infinite | y_infinite, extreme, result);
  result = select(is_negative(x) & ~whole & ~x_infinite & ~is_zero(ax), real<T>::nan, result);
  result = flip_sign(result, to_bits(x) & odd);
  result = select(x_nan | y_nan, real<T>::nan, result);
  bits_of<T> one = ~(below_one | less(T(1), ax));
  return select(is_zero(ay) | (one & (~is_negative(x) | y_infinite)), T(1), result);
}

CUDA_TILE_HOST_MATH float square_root(float x) { return __builtin_sqrtf(x); }
CUDA_TILE_HOST_MATH double square_root(double x) { return __builtin_sqrt(x); }

/// 1 / sqrt(x), corrected for the errors of both operations; tiny numbers are scaled, so that these are
/// exact.
template <typename T>
CUDA_TILE_HOST_MATH T inverse_root(T x, T tiny, T root_of_scale) {
  bool is_tiny = x < tiny;
  T scaled = x * (is_tiny ? root_of_scale * root_of_scale : T(1));
  T root = square_root(scaled), y = T(1) / root;
  pair<T> square = exact_product(root, root), one = exact_product(root, y);
  T lost = (scaled - square.high) - square.low, rest = (T(1) - one.high) - one.low;
  T corrected =
      multiply_add(y, multiply_add(T(-0.5) * lost * y, y, rest), y) * (is_tiny ? root_of_scale : T(1));
  return x == 0 || x == real<T>::infinity ? y : corrected;
}
CUDA_TILE_HOST_MATH float rsqrt(float x) { return inverse_root(x, 0x1p-100f, 0x1p25f); }
CUDA_TILE_HOST_MATH double rsqrt(double x) { return inverse_root(x, 0x1p-800, 0x1p100); }

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform::host_math
