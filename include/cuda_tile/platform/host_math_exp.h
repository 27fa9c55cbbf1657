// exp, exp2, sinh, cosh, tanh of float and double on the host.
//
// x = n log(2) + r, |r| <= log(2) / 2 (Cody and Waite), and exp(x) = 2^n exp(r), where exp(r) of double is
// cosh(r) + sinh(r). The polynomials are least maximum fits: tests/math/coefficients.py makes them.
#pragma once

#include "cuda_tile/platform/host_math_real.h"
#include "cuda_tile/platform/host_vectors.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::platform::host_math {

/// sinh(r) = r + u r odd and cosh(r) = 1 + u even, u = r^2.
template <typename T>
struct tails {
  T u, odd, even;
};

template <typename T>
CUDA_TILE_HOST_MATH tails<T> tails_of(T r) {
  T u = r * r;
  if constexpr (sizeof(T) == 4)
    return {u, polynomial(u, 0.16666667f, 0.008333175f, 0.00019974083f),
            polynomial(u, 0.5f, 0.04166646f, 0.0013935429f)};
  else
    return {u,
            polynomial(u, 0.16666666666666677, 0.008333333333321376, 0.00019841269886868758,
                       2.7557243373512085e-06, 2.5109356263741384e-08),
            polynomial(u, 0.5, 0.041666666666666685, 0.0013888888888873283, 2.4801587349202134e-05,
                       2.755725182001156e-07, 2.092176953798104e-09)};
}

template <typename T>
struct ln2;
template <>
struct ln2<float> { // log(2) with 15 bits, so that its multiples are exact, and the rest
  static constexpr float high = 0x1.62e4p-1f, low = 0x1.7f7d1cp-20f, inverse = 0x1.715476p0f,
                         inverse_low = 0x1.4ae0cp-26f;
  static constexpr float nearest = 0x1.62e43p-1f, nearest_low = -0x1.05c61p-29f;
};
template <>
struct ln2<double> { // with 42 bits
  static constexpr double high = 0x1.62e42fefa38p-1, low = 0x1.ef35793c7673p-45,
                          inverse = 0x1.71547652b82fep0, inverse_low = 0x1.777d0ffda0d24p-56;
  static constexpr double nearest = 0x1.62e42fefa39efp-1, nearest_low = 0x1.abc9e3b39803fp-56;
};

/// x = n log(2) + r.
template <typename T>
struct reduced {
  bits_of<T> n; // as in `integer`
  pair<T> r;
};

/// For |x| < 2^10.2 (float: 2^8).
template <typename T>
CUDA_TILE_HOST_MATH reduced<T> reduce(T x) {
  integer<T> n = nearest_integer(x, ln2<T>::inverse);
  T near = multiply_add(-n.value, ln2<T>::high, x); // exact
  T r = multiply_add(-n.value, ln2<T>::low, near);
  return {n.bits, {r, multiply_add(-n.value, ln2<T>::low, near - r)}};
}

/// 2^n exp(r).
CUDA_TILE_HOST_MATH double exp_of(reduced<double> x) {
  double r = x.r.high;
  tails<double> t = tails_of(r);
  pair<double> sum = exact_sum(1.0, r);
  sum.low += x.r.low;
  return scale(sum.high + multiply_add(t.u, multiply_add(r, t.odd, t.even), sum.low), x.n);
}

/// a * b + c of floats, or of each float of vectors.
template <typename T>
CUDA_TILE_HOST_MATH T add_product(T a, T b, T c) {
  if constexpr (sizeof(T) == sizeof(float))
    return multiply_add(a, b, c);
  else
    return multiply_add_vectors(a, b, c);
}
/// exp(r) of a float, or of each float of a vector.
template <typename T>
CUDA_TILE_HOST_MATH T short_exp(T r) {
  T const u = r * r, one = T{} + 1.0f;
  T const low = add_product(r, T{} + 0.16666521f, T{} + 0.49999994f);
  T const middle = add_product(r, T{} + 0.0083687175f, T{} + 0.04166839f);
  T const tail = add_product(u, add_product(u, T{} + 0.0013814548f, middle), low);
  if constexpr (has_fma)
    return add_product(r, add_product(r, tail, one), one);
  pair<T> const sum = exact_sum(one, r);
  return sum.high + add_product(u, tail, sum.low);
}
/// 2^n exp(r); r.low is at most a quarter of an ulp.
CUDA_TILE_HOST_MATH float exp_of(reduced<float> x) { return scale(short_exp(x.r.high), x.n); }

// Far from 0, n is undefined, and so are results computed from it; the limits below lie beyond overflow and
// underflow.

template <typename T>
CUDA_TILE_HOST_MATH T exp(T x) {
  T y = exp_of(reduce(x));
  y = x > (sizeof(T) == 4 ? T(89) : T(710)) ? real<T>::infinity : y;
  return x < (sizeof(T) == 4 ? T(-104) : T(-746)) ? T(0) : y;
}

template <typename T>
CUDA_TILE_HOST_MATH T exp2(T x) {
  integer<T> n = nearest_integer(x, T(1));
  T fraction = x - n.value;
  pair<T> r = product<T>({fraction, 0}, {ln2<T>::nearest, ln2<T>::nearest_low});
  T y = exp_of(reduced<T>{n.bits, r});
  y = x > (sizeof(T) == 4 ? T(129) : T(1025)) ? real<T>::infinity : y;
  return x < (sizeof(T) == 4 ? T(-151) : T(-1076)) ? T(0) : y;
}

/// cosh(x) and sinh(x) are 2^(n - 1) (high + low).
template <typename T>
struct hyperbolic {
  bits_of<T> n;
  pair<T> cosh, sinh;
};

/// For x >= 0, with d = 2^(-2 n):
///     2 cosh(x) / 2^n = cosh(r) (1 + d) + sinh(r) (1 - d)
///     2 sinh(x) / 2^n = sinh(r) (1 + d) + cosh(r) (1 - d)
template <typename T>
CUDA_TILE_HOST_MATH hyperbolic<T> hyperbolic_of(T x) {
  reduced<T> e = reduce(x);
  factors<T> power = factors_of<T>(0 - e.n);
  T r = e.r.high, root = power.first * power.second, d = root * root, rd = r * d;
  tails<T> t = tails_of(r);
  T odd = multiply_add(r * t.u, t.odd, e.r.low), even = t.u * t.even;
  pair<T> plus = exact_sum(T(1), d), minus = exact_sum(T(1), -d);
  pair<T> r_plus = exact_sum(r, rd), r_minus = exact_sum(r, -rd);
  pair<T> cosh = exact_sum(plus.high, r_minus.high), sinh = exact_sum(minus.high, r_plus.high);
  cosh.low += (plus.low + r_minus.low) + multiply_add(even, plus.high, odd * minus.high);
  sinh.low += (minus.low + r_plus.low) + multiply_add(odd, plus.high, even * minus.high);
  return {e.n, cosh, sinh};
}

template <typename T>
inline constexpr T hyperbolic_overflow = sizeof(T) == 4 ? 90 : 711;

template <typename T>
CUDA_TILE_HOST_MATH T cosh(T x) {
  hyperbolic<T> h = hyperbolic_of(abs(x));
  T y = scale(h.cosh.high + h.cosh.low, h.n - 1);
  return abs(x) > hyperbolic_overflow<T> ? real<T>::infinity : y;
}

template <typename T>
CUDA_TILE_HOST_MATH T sinh(T x) {
  hyperbolic<T> h = hyperbolic_of(abs(x));
  T y = scale(h.sinh.high + h.sinh.low, h.n - 1);
  return flip_sign(abs(x) > hyperbolic_overflow<T> ? real<T>::infinity : y, to_bits(x));
}

CUDA_TILE_HOST_MATH double tanh(double x) {
  hyperbolic<double> h = hyperbolic_of(abs(x));
  pair<double> q = quotient(exact_sum(h.sinh.high, h.sinh.low), exact_sum(h.cosh.high, h.cosh.low));
  return flip_sign(abs(x) > 20 ? 1.0 : q.high + q.low, to_bits(x));
}

/// (exp(r) - 1) / r for |r| <= log(2) / 2, to more digits than a float's.
CUDA_TILE_HOST_MATH double short_exponential(double r) {
  return polynomial(r, 1.0, 0.5000000077911932, 0.16666666859573986, 0.04166626992257628,
                    0.008333264611435935, 0.0013946074483052718, 0.00019918249704982624);
}

/// m / (m + 2) with m = exp(2 x) - 1.
CUDA_TILE_HOST_MATH float tanh(float x) {
  double d = abs(x);
  integer<double> n = nearest_integer(d, 2 * ln2<double>::inverse);
  double r = multiply_add(-n.value, ln2<double>::nearest, 2 * d), power = power_of_two<double>(n.bits);
  double m = multiply_add(r * short_exponential(r), power, power - 1);
  return flip_sign(abs(x) > 10 ? 1.0f : static_cast<float>(m / (m + 2)), to_bits(x));
}

#if defined(__AVX512F__) && defined(__AVX512BW__)
inline constexpr bool has_exp_of_vectors = true;

/// exp of each float, with the same bits; an instruction multiplies by 2^n.
CUDA_TILE_HOST_MATH vector<float> exp_of_vector(vector<float> x) {
  using V = vector<float>;
  using constants = ln2<float>;
  V const most = V{} + 89.0f, round = V{} + real<float>::round;
  V const limited = x > most ? most : x;
  V const n = add_product(limited, V{} + constants::inverse, round) - round;
  V const near = add_product(n, V{} - constants::high, limited);
  V const y = short_exp(add_product(n, V{} - constants::low, near));
  constexpr int not_less = 5, rounding_as_set = 4;
  auto const kept =
      __builtin_ia32_cmpps512_mask(x, V{} - 104.0f, not_less, (unsigned short)-1, rounding_as_set);
#if defined(__clang__)
  using mask = unsigned short;
#else
  using mask = short;
#endif
  return __builtin_ia32_scalefps512_mask(y, n, V{}, static_cast<mask>(kept), rounding_as_set);
}
#else
inline constexpr bool has_exp_of_vectors = false;
vector<float> exp_of_vector(vector<float> x);
#endif

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform::host_math
