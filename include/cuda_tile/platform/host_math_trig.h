// sin, cos, tan and atan2 of float and double on the host.
//
// Polynomials are least maximum fits: tests/math/coefficients.py makes them. A float is computed in double.
#pragma once

#include "cuda_tile/platform/host_math_angle.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::platform::host_math {

/// sin(x + shift pi) for a shift of 0 or 1/2: x + shift pi = n pi + r with |r| <= pi/2.
template <bool HasShift>
CUDA_TILE_HOST_MATH float sin_of_half_turn(float x) {
  constexpr double per_turn = 0x1.45f306dc9c883p-2;
  double d = x;
  integer<double> n =
      HasShift ? nearest_integer(multiply_add(d, per_turn, 0.5), 1.0) : nearest_integer(d, per_turn);
  double turns = HasShift ? n.value - 0.5 : n.value;
  double r = multiply_add(-turns, 0x1.0b4611a626331p-33, multiply_add(-turns, 0x1.921fb544p1, d));
  double u = r * r;
  double p = polynomial(u, -0.16666666626116086, 0.008333331106915297, -0.0001984086796169709,
                        2.7525370699654655e-06, -2.3891963122576703e-08);
  return static_cast<float>(flip_sign(r * multiply_add(u, p, 1.0), n.bits << 63));
}

struct sine_and_cosine {
  pair<double> sin, cos;
};

/// For |r| <= pi/4.
CUDA_TILE_HOST_MATH sine_and_cosine sin_cos_of(pair<double> r) {
  pair<double> u = exact_product(r.high, r.high);
  double s = polynomial(u.high, -0.1666666666666663, 0.00833333333332184, -0.00019841269829358777,
                        2.7557313537366665e-06, -2.5050733899720628e-08, 1.5895384252021775e-10);
  double c = polynomial(u.high, 0.041666666666666595, -0.001388888888887334, 2.4801587288999623e-05,
                        -2.7557314216054783e-07, 2.0875705229329205e-09, -1.1358739084205903e-11);
  pair<double> cos = exact_sum(1.0, -0.5 * u.high);
  cos.low += multiply_add(u.high * u.high, c, -multiply_add(r.high, r.low, 0.5 * u.low));
  return {{r.high, multiply_add(r.high * u.high, s, r.low * cos.high)}, cos};
}

/// sin(r + quadrant pi/2).
CUDA_TILE_HOST_MATH double sin_of(angle x) {
  sine_and_cosine of = sin_cos_of(x.r);
  bits_of<double> odd = is_odd<double>(x.quadrant);
  double y = select(odd, of.cos.high, of.sin.high) + select(odd, of.cos.low, of.sin.low);
  return flip_sign(y, x.quadrant << 62);
}

CUDA_TILE_HOST_MATH double tan_of(angle x) {
  sine_and_cosine of = sin_cos_of(x.r);
  bits_of<double> odd = is_odd<double>(x.quadrant);
  pair<double> numerator = {select(odd, of.cos.high, of.sin.high), select(odd, of.cos.low, of.sin.low)};
  pair<double> denominator = {select(odd, of.sin.high, of.cos.high), select(odd, of.sin.low, of.cos.low)};
  pair<double> q =
      quotient(exact_sum(numerator.high, numerator.low), exact_sum(denominator.high, denominator.low));
  return flip_sign(q.high + q.low, x.quadrant << 63);
}

CUDA_TILE_HOST_MATH float tan_of_moderate(float x) {
  double d = x;
  integer<double> n = nearest_integer(d, 0x1.45f306dc9c883p-1);
  double r = multiply_add(-n.value, 0x1.0b4611a626331p-34, multiply_add(-n.value, 0x1.921fb544p0, d));
  double u = r * r;
  double s =
      polynomial(u, -0.166666666407801, 0.008333329302791506, -0.00019839311573571552, 2.718114723000012e-06);
  double c = polynomial(u, -0.5, 0.04166666661944742, -0.0013888883496566743, 2.4799459264785047e-05,
                        -2.7205682215106306e-07);
  double sin = r * multiply_add(u, s, 1.0), cos = multiply_add(u, c, 1.0);
  bits_of<double> odd = is_odd<double>(n.bits);
  return static_cast<float>(flip_sign(select(odd, cos, sin) / select(odd, sin, cos), n.bits << 63));
}

CUDA_TILE_HOST_MATH double cos_of(angle x) { return sin_of({x.quadrant + 1, x.r}); }

// clang-format off For |x| < 2^20, without branches.
CUDA_TILE_HOST_MATH float sin_of_moderate(float x) { return sin_of_half_turn<false>(x); }
CUDA_TILE_HOST_MATH float cos_of_moderate(float x) { return sin_of_half_turn<true>(x); }
CUDA_TILE_HOST_MATH double sin_of_moderate(double x) { return x == 0 ? x : sin_of(reduce_angle(x)); }
CUDA_TILE_HOST_MATH double cos_of_moderate(double x) { return cos_of(reduce_angle(x)); }
CUDA_TILE_HOST_MATH double tan_of_moderate(double x) { return x == 0 ? x : tan_of(reduce_angle(x)); }

// For |x| >= 2^20.
inline double sin_of_large(double x) { return sin_of(reduce_large_angle(x)); }
inline double cos_of_large(double x) { return cos_of(reduce_large_angle(x)); }
inline double tan_of_large(double x) { return tan_of(reduce_large_angle(x)); }

#define CUDA_TILE_TRIGONOMETRIC(name)                                                                        \
  template <typename T>                                                                                      \
  T name(T x) {                                                                                              \
    return is_large_angle(x) ? static_cast<T>(name##_of_large(x)) : name##_of_moderate(x);                   \
  }
CUDA_TILE_TRIGONOMETRIC(sin)
CUDA_TILE_TRIGONOMETRIC(cos)
CUDA_TILE_TRIGONOMETRIC(tan)
#undef CUDA_TILE_TRIGONOMETRIC
// clang-format on

// atan2: the angle of (x, y) is k pi/4 +- atan(t) with t at most tan(pi/8).

/// The larger and the smaller of |x| and |y|, and what to do with the angle between them.
struct octant {
  double larger, smaller;
  bits_of<double> steep; // a mask: |y| > |x|
};
CUDA_TILE_HOST_MATH octant octant_of(double y, double x) {
  double ay = abs(y), ax = abs(x);
  bits_of<double> steep = less(ax, ay);
  return {select(steep, ay, ax), select(steep, ax, ay), steep};
}

/// The angle of (x, y) from its quadrant, its octant and atan(t) = t.high + t.low, plus pi/4 where `far`.
CUDA_TILE_HOST_MATH double place_angle(double y, double x, bits_of<double> steep, bits_of<double> far,
                                       pair<double> t) {
  double k = select(far, 1.0, 0.0);
  k = select(steep, 2 - k, k);
  k = select(is_negative(x), 4 - k, k);
  bits_of<double> sign = to_bits(x) ^ steep;
  pair<double> sum = exact_sum(k * 0x1.921fb54442d18p-1, flip_sign(t.high, sign)); // the multiples are exact
  double rest = sum.low + multiply_add(k, 0x1.1a62633145c07p-55, flip_sign(t.low, sign));
  constexpr double infinity = real<double>::infinity, nan = real<double>::nan;
  return flip_sign(select(less(infinity, abs(x)) | less(infinity, abs(y)), nan, sum.high + rest), to_bits(y));
}

CUDA_TILE_HOST_MATH float atan2(float y, float x) {
  octant o = octant_of(y, x);
  // Replaces infinity by a huge number, and the larger of two zeros by any other number.
  double smaller = select(less(1e300, o.smaller), 1e300, o.smaller);
  double larger = select(less(1e300, o.larger), 1e300, o.larger);
  larger = select(is_zero(larger), 1.0, larger);
  bits_of<double> far = less(0x1.a827999fcef32p-2 * larger, smaller);
  double t = select(far, smaller - larger, smaller) / select(far, smaller + larger, larger), u = t * t;
  double p = polynomial(u, -0.3333333249805475, 0.19999903811223407, -0.14282004804457737,
                        0.11044652837624222, -0.08476042796753985, 0.047433958914496456);
  return static_cast<float>(place_angle(y, x, o.steep, far, {t, t * u * p}));
}

/// The octant moved away from overflow and underflow, its larger number neither zero nor infinity.
CUDA_TILE_HOST_MATH octant normalized(octant o) {
  double factor = select(less(0x1p900, o.larger), 0x1p-200, 1.0);
  factor = select(less(o.larger, 0x1p-900), 0x1p200, factor);
  double larger = o.larger * factor, smaller = o.smaller * factor;
  bits_of<double> infinite = less(real<double>::largest, larger);
  double ratio = select(less(real<double>::largest, smaller), 1.0, smaller * 0);
  return {select(infinite | is_zero(larger), 1.0, larger), select(infinite, ratio, smaller), o.steep};
}

CUDA_TILE_HOST_MATH double atan2(double y, double x) {
  octant o = normalized(octant_of(y, x));
  bits_of<double> far = less(0x1.a827999fcef32p-2 * o.larger, o.smaller);
  pair<double> difference = exact_sum(-o.larger, o.smaller), sum = exact_sum(o.larger, o.smaller);
  pair<double> t =
      quotient<double>({select(far, difference.high, o.smaller), select(far, difference.low, 0.0)},
                       {select(far, sum.high, o.larger), select(far, sum.low, 0.0)});
  t.low = select(less(o.smaller, 0x1p-900), 0.0, t.low); // too small for a correction
  double u = t.high * t.high;
  double p = polynomial(u, -0.33333333333333326, 0.199999999999971, -0.14285714285317708, 0.11111111083861681,
                        -0.0909090799118134, 0.07692279344035942, -0.06666177085492724, 0.058765424828394607,
                        -0.05215363089639591, 0.04491357951634149, -0.0331946366428558, 0.014914997091089137);
  return place_angle(y, x, o.steep, far,
                     {t.high, multiply_add(t.high * u, p, multiply_add(t.low, -u, t.low))});
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform::host_math
