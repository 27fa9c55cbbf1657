// Functions of numbers that CUDA has built in, beyond those of the C library.
#pragma once

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <math.h>
#include <stdlib.h>

#define CUDA_TILE_FUNCTIONS_OF_RUNTIME // in programs, and in plain C++ that uses the run time
#include "cuda_tile/platform/cuda_functions.h"

#include "cuda_tile/runtime/device/integers.h"
#include "cuda_tile/runtime/device/rounding.h"
#include "cuda_tile/runtime/device/simd.h"

// ---- in float and double ---------------------------------------------------------------------------------

#define CUDA_TILE_1(T) (T x)
#define CUDA_TILE_2(T) (T x, T y)
#define CUDA_TILE_3(T) (T x, T y, T z)
#define CUDA_TILE_4(T) (T x, T y, T z, T w)

namespace cuda_tile::runtime {

constexpr double pi = 3.14159265358979323846;

/// sin(pi x): exact at multiples of a half.
inline double sine_of_pi(double x) {
  const double rest = remainder(x, 2.0); // in [-1, 1]
  if (rest != rest)
    return rest;
  const double part = fabs(rest) > 0.5 ? copysign(1.0, rest) - rest : rest;
  return part == 0 ? copysign(0.0, x) : sin(pi * part);
}
inline double cosine_of_pi(double x) {
  const double rest = fabs(remainder(x, 2.0)); // in [0, 1]
  if (rest == 0.5)
    return 0;
  return rest < 0.25 ? cos(pi * rest) : sin(pi * (0.5 - rest));
}

/// The x with erf(x) = y, by Newton's method from a rational approximation.
inline double inverse_erf(double y) {
  if (!(fabs(y) < 1))
    return fabs(y) == 1 ? copysign(HUGE_VAL, y) : NAN;
  const double log_of = log1p(-y * y), first = 2 / (pi * 0.147) + log_of / 2;
  double x = copysign(sqrt(sqrt(first * first - log_of / 0.147) - first), y);
  for (int i = 0; i != 4 && x != 0; ++i) {
    const double error = fabs(y) > 0.5 ? copysign(erfc(fabs(x)) - (1 - fabs(y)), -y) : erf(x) - y;
    x -= error / (2 / sqrt(pi) * exp(-x * x) + x * error);
  }
  return x;
}
/// The x with erfc(x) = y.
inline double inverse_erfc(double y) {
  if (!(y > 0 && y < 2))
    return y == 0 ? HUGE_VAL : y == 2 ? -HUGE_VAL : NAN;
  if (y > 0.1)
    return inverse_erf(1 - y);
  double x = sqrt(-log(y));
  for (int i = 0; i != 12; ++i) {
    const double error = erfc(x) - y;
    x += error / (2 / sqrt(pi) * exp(-x * x) - x * error);
  }
  return x;
}
/// The modified Bessel function of the first kind, of order 0 or 1: all terms of its series are positive.
inline double modified_bessel(int order, double x) {
  const double square = x * x / 4;
  double term = order == 0 ? 1 : x / 2, sum = term;
  for (int k = 1; fabs(term) > fabs(sum) * 1e-18 && fabs(sum) < HUGE_VAL; ++k)
    sum += term *= square / (double(k) * (k + order));
  return sum;
}
template <typename T>
double norm_of(int count, const T* values) {
  double norm = 0;
  for (int i = 0; i < count; ++i)
    norm = hypot(norm, double{values[i]});
  return norm;
}
/// exp(x^2) erfc(x)
inline double scaled_erfc(double x) {
  if (x < 20)
    return exp(x * x) * erfc(x);
  const double inverse = 1 / x, square = inverse * inverse; // the asymptotic series
  return inverse / sqrt(pi) * (1 - square / 2 * (1 - square * 3 / 2 * (1 - square * 5 / 2)));
}

} // namespace cuda_tile::runtime

#define CUDA_TILE_BOTH(name, list, expression)                                                               \
  inline double name list(double) { return expression; }                                                     \
  inline float name##f list(float) { return static_cast<float>(expression); }

CUDA_TILE_BOTH(rsqrt, CUDA_TILE_1, 1 / sqrt(double{x}))
CUDA_TILE_BOTH(rcbrt, CUDA_TILE_1, 1 / cbrt(double{x}))
CUDA_TILE_BOTH(sinpi, CUDA_TILE_1, cuda_tile::runtime::sine_of_pi(x))
CUDA_TILE_BOTH(cospi, CUDA_TILE_1, cuda_tile::runtime::cosine_of_pi(x))
CUDA_TILE_BOTH(erfinv, CUDA_TILE_1, cuda_tile::runtime::inverse_erf(x))
CUDA_TILE_BOTH(erfcinv, CUDA_TILE_1, cuda_tile::runtime::inverse_erfc(x))
CUDA_TILE_BOTH(erfcx, CUDA_TILE_1, cuda_tile::runtime::scaled_erfc(x))
CUDA_TILE_BOTH(normcdf, CUDA_TILE_1, erfc(-x / sqrt(2.0)) / 2)
CUDA_TILE_BOTH(normcdfinv, CUDA_TILE_1, -sqrt(2.0) * cuda_tile::runtime::inverse_erfc(2.0 * x))
CUDA_TILE_BOTH(cyl_bessel_i0, CUDA_TILE_1, cuda_tile::runtime::modified_bessel(0, x))
CUDA_TILE_BOTH(cyl_bessel_i1, CUDA_TILE_1, cuda_tile::runtime::modified_bessel(1, x))
CUDA_TILE_BOTH(rhypot, CUDA_TILE_2, 1 / hypot(double{x}, double{y}))
CUDA_TILE_BOTH(norm3d, CUDA_TILE_3, hypot(hypot(double{x}, double{y}), double{z}))
CUDA_TILE_BOTH(rnorm3d, CUDA_TILE_3, 1 / hypot(hypot(double{x}, double{y}), double{z}))
CUDA_TILE_BOTH(norm4d, CUDA_TILE_4, hypot(hypot(double{x}, double{y}), hypot(double{z}, double{w})))
CUDA_TILE_BOTH(rnorm4d, CUDA_TILE_4, 1 / hypot(hypot(double{x}, double{y}), hypot(double{z}, double{w})))
#undef CUDA_TILE_BOTH
#undef CUDA_TILE_1
#undef CUDA_TILE_2
#undef CUDA_TILE_3
#undef CUDA_TILE_4

inline double norm(int count, const double* values) { return cuda_tile::runtime::norm_of(count, values); }
inline double rnorm(int count, const double* values) { return 1 / norm(count, values); }
inline float normf(int count, const float* values) {
  return static_cast<float>(cuda_tile::runtime::norm_of(count, values));
}
inline float rnormf(int count, const float* values) {
  return static_cast<float>(1 / cuda_tile::runtime::norm_of(count, values));
}

inline void sincospi(double x, double* sine, double* cosine) {
  *sine = sinpi(x);
  *cosine = cospi(x);
}
inline void sincospif(float x, float* sine, float* cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}
inline float fdividef(float x, float y) { return x / y; }

// ---- fast functions, which may be exact ------------------------------------------------------------------

inline float __exp10f(float x) { return static_cast<float>(pow(10.0, double{x})); }
inline float __log10f(float x) { return log10f(x); }
inline float __tanf(float x) { return tanf(x); }
inline float __tanhf(float x) { return tanhf(x); }
inline float __frsqrt_rn(float x) { return rsqrtf(x); }
inline void __sincosf(float x, float* sine, float* cosine) {
  *sine = sinf(x);
  *cosine = cosf(x);
}
