// exp, exp2, sinh, cosh, tanh of float and double on the host.
//
// x = n log(2) + r, |r| <= log(2) / 2 (Cody and Waite), and exp(x) = 2^n (cosh(r) + sinh(r)). The polynomials of the two
// are least maximum fits: tests/math/coefficients.py makes them.
#pragma once

#include "cuda_tile/platform/host_math_real.h"

namespace cuda::tiles::platform::host_math {

/// Of x = n log(2) + r: n, r rounded, and what is missing to cosh(r) = 1 + even and sinh(r) = r + odd.
template <typename T>
struct exponential {
  bits_of<T> n;
  T r, odd, even;
};

/// From r = r.high + r.low.
template <typename T>
CUDA_TILE_HOST_MATH exponential<T> expand(bits_of<T> n, pair<T> r) {
  T u = r.high * r.high, odd, even;
  if constexpr (sizeof(T) == 4) {
    odd = polynomial(u, 0.16666667f, 0.008333175f, 0.00019974083f);
    even = polynomial(u, 0.5f, 0.04166646f, 0.0013935429f);
  } else {
    odd = polynomial(u, 0.16666666666666677, 0.008333333333321376, 0.00019841269886868758, 2.7557243373512085e-06,
                     2.5109356263741384e-08);
    even = polynomial(u, 0.5, 0.041666666666666685, 0.0013888888888873283, 2.4801587349202134e-05,
                      2.755725182001156e-07, 2.092176953798104e-09);
  }
  return {n, r.high, multiply_add(r.high * u, odd, r.low), u * even};
}

template <typename T>
struct log2_constants;
template <>
struct log2_constants<float> {  // log(2) with 15 bits, so that its multiples are exact, and the rest
  static constexpr float high = 0x1.62e4p-1f, low = 0x1.7f7d1cp-20f, inverse = 0x1.715476p0f;
};
template <>
struct log2_constants<double> {  // with 42 bits
  static constexpr double high = 0x1.62e42fefa38p-1, low = 0x1.ef35793c7673p-45, inverse = 0x1.71547652b82fep0;
};

/// From x.high + x.low within +-2^10 (float: 2^7 + 2^4).
template <typename T>
CUDA_TILE_HOST_MATH exponential<T> reduce_exponent(pair<T> x) {
  using log2 = log2_constants<T>;
  integer<T> n = nearest_integer(x.high, log2::inverse);
  T near = multiply_add(-n.value, log2::high, x.high);  // exact
  T high = multiply_add(-n.value, log2::low, near);
  return expand(n.bits, pair<T>{high, multiply_add(-n.value, log2::low, near - high) + x.low});
}

template <typename T>
CUDA_TILE_HOST_MATH T exp_of(exponential<T> e) {
  pair<T> sum = exact_sum(T(1), e.r);
  return scale(sum.high + (sum.low + (e.odd + e.even)), e.n);
}

template <typename T>
CUDA_TILE_HOST_MATH T exp(T x) {
  x = sizeof(T) == 4 ? clamp<T>(x, -104, 89) : clamp<T>(x, -746, 710);
  return exp_of(reduce_exponent(pair<T>{x, 0}));
}

template <typename T>
CUDA_TILE_HOST_MATH T exp2(T x) {
  x = sizeof(T) == 4 ? clamp<T>(x, -151, 129) : clamp<T>(x, -1076, 1025);
  constexpr T ln2 = static_cast<T>(0x1.62e42fefa39efp-1);
  constexpr T ln2_low = sizeof(T) == 4 ? T(-0x1.05c61p-29) : T(0x1.abc9e3b39803fp-56);
  integer<T> n = nearest_integer(x, T(1));
  T fraction = x - n.value;
  pair<T> r = exact_product(fraction, ln2);
  return exp_of(expand(n.bits, pair<T>{r.high, multiply_add(fraction, ln2_low, r.low)}));
}

/// cosh(x) or sinh(x) is 2^(n - 1) (high + low).
template <typename T>
struct hyperbolic {
  bits_of<T> n;
  pair<T> cosh, sinh;
};

/// 2 cosh(x) / 2^n = cosh(r) (1 + d) + sinh(r) (1 - d) with d = 2^(-2 n), and 2 sinh(x) / 2^n = sinh(r) (1 + d) + cosh(r)
/// (1 - d), of 0 <= x.
template <typename T>
CUDA_TILE_HOST_MATH hyperbolic<T> hyperbolic_of(T x) {
  exponential<T> e = reduce_exponent(pair<T>{x, 0});
  bits_of<T> limited = e.n < 40 ? e.n : 40;  // 1 + 2^-80 = 1
  T d = power_of_two<T>(0 - 2 * limited), rd = e.r * d;
  pair<T> plus = exact_sum(T(1), d), minus = exact_sum(T(1), -d);
  pair<T> r_plus = exact_sum(e.r, rd), r_minus = exact_sum(e.r, -rd);
  pair<T> cosh = exact_sum(plus.high, r_minus.high), sinh = exact_sum(minus.high, r_plus.high);
  cosh.low += (plus.low + r_minus.low) + multiply_add(e.even, plus.high, e.odd * minus.high);
  sinh.low += (minus.low + r_plus.low) + multiply_add(e.odd, plus.high, e.even * minus.high);
  return {e.n, cosh, sinh};
}

template <typename T>
CUDA_TILE_HOST_MATH T cosh(T x) {
  hyperbolic<T> h = hyperbolic_of(clamp<T>(abs(x), 0, sizeof(T) == 4 ? 90 : 711));
  return scale(h.cosh.high + h.cosh.low, h.n - 1);
}

template <typename T>
CUDA_TILE_HOST_MATH T sinh(T x) {
  hyperbolic<T> h = hyperbolic_of(clamp<T>(abs(x), 0, sizeof(T) == 4 ? 90 : 711));
  return flip_sign(scale(h.sinh.high + h.sinh.low, h.n - 1), to_bits(x));
}

template <typename T>
CUDA_TILE_HOST_MATH T tanh(T x) {
  hyperbolic<T> h = hyperbolic_of(clamp<T>(abs(x), 0, sizeof(T) == 4 ? 10 : 20));
  pair<T> q = quotient(exact_sum(h.sinh.high, h.sinh.low), exact_sum(h.cosh.high, h.cosh.low));
  return flip_sign(q.high + q.low, to_bits(x));
}

}  // namespace cuda::tiles::platform::host_math
