// Functions of C and of CUDA that Tile IR has no operations for, by those that it has. Those of float are
// computed in double.
#pragma once

#include "cuda_tile/record/cuda_functions.h"

#define CUDA_TILE_1(name)                                                                                    \
  inline float name##f(float x) { return static_cast<float>(name(double{x})); }                              \
  inline double name(double x)
#define CUDA_TILE_2(name)                                                                                    \
  inline float name##f(float x, float y) { return static_cast<float>(name(double{x}, double{y})); }          \
  inline double name(double x, double y)
#define CUDA_TILE_DECLARED(name) inline double name(double);
CUDA_TILE_DECLARED(acos)
CUDA_TILE_DECLARED(acosh)
CUDA_TILE_DECLARED(asin)
CUDA_TILE_DECLARED(asinh)
CUDA_TILE_DECLARED(atan)
CUDA_TILE_DECLARED(atanh)
CUDA_TILE_DECLARED(cbrt)
CUDA_TILE_DECLARED(erf)
CUDA_TILE_DECLARED(erfc)
CUDA_TILE_DECLARED(exp10)
CUDA_TILE_DECLARED(expm1)
CUDA_TILE_DECLARED(log10)
CUDA_TILE_DECLARED(log1p)
CUDA_TILE_DECLARED(normcdf)
CUDA_TILE_DECLARED(rcbrt)
#undef CUDA_TILE_DECLARED
inline double hypot(double, double);
inline double rhypot(double, double);

// ---- exponentials and logarithms
// ---------------------------------------------------------------------------

CUDA_TILE_1(exp10) { return pow(10.0, x); }
CUDA_TILE_1(expm1) {
  double const power = exp(x), rest = power - 1;
  if (rest == 0)
    return x;
  return rest == -1 || x > 50 ? rest : rest * (x / log(power)); // the errors of both cancel out
}
CUDA_TILE_1(log10) { return log(x) * 0.43429448190325182765; }
CUDA_TILE_1(log1p) {
  double const sum = 1 + x;
  if (sum == 1 || sum == x)
    return sum == 1 ? x : log(x);
  return log(sum) * (x / (sum - 1));
}

// ---- angles
// ------------------------------------------------------------------------------------------------

CUDA_TILE_1(acos) { return atan2(sqrt((1 - x) * (1 + x)), x); }
CUDA_TILE_1(asin) { return atan2(x, sqrt((1 - x) * (1 + x))); }
CUDA_TILE_1(atan) { return atan2(x, 1.0); }
CUDA_TILE_1(acosh) {
  double const rest = x - 1;
  return x > 0x1p28 ? log(x) + 0.69314718055994530942 : log1p(rest + sqrt(rest * (2 + rest)));
}
CUDA_TILE_1(asinh) {
  double const size = fabs(x), square = size * size;
  return copysign(
      size > 0x1p28 ? log(size) + 0.69314718055994530942 : log1p(size + square / (1 + sqrt(square + 1))), x);
}
CUDA_TILE_1(atanh) {
  double const size = fabs(x);
  return copysign(log1p(2 * size / (1 - size)) / 2, x);
}
inline void sincos(double x, double* sine, double* cosine) {
  *sine = sin(x);
  *cosine = cos(x);
}
inline void sincosf(float x, float* sine, float* cosine) {
  *sine = sinf(x);
  *cosine = cosf(x);
}

// ---- roots
// -------------------------------------------------------------------------------------------------

CUDA_TILE_1(cbrt) {
  double const size = fabs(x), root = pow(size, 1.0 / 3);
  if (!(size > 0 && isfinite(size)))
    return x + x; // which keeps the sign of zero
  return copysign(root - (root - size / (root * root)) / 3, x);
}
CUDA_TILE_1(rcbrt) { return 1 / cbrt(x); }
CUDA_TILE_2(hypot) {
  double const larger = fmax(fabs(x), fabs(y)), ratio = fmin(fabs(x), fabs(y)) / larger;
  if (isinf(larger) || larger == 0)
    return larger;
  return isnan(x) || isnan(y) ? x + y : larger * sqrt(1 + ratio * ratio);
}
CUDA_TILE_2(rhypot) { return 1 / hypot(x, y); }

// ---- powers of two
// -----------------------------------------------------------------------------------------

inline double ldexp(double x, int n) {
  // Only the last of three products may be inexact.
  for (int i = 0; i < 2; ++i) {
    int const step = n > 1023 ? 1023 : n < -1022 ? -969 : 0;
    x *= step > 0 ? 0x1p1023 : step < 0 ? 0x1p-969 : 1.0;
    n -= step;
  }
  n = n > 1023 ? 1023 : n < -1022 ? -1022 : n;
  return x * __longlong_as_double(static_cast<long long>(n + 1023) << 52);
}
inline float ldexpf(float x, int n) {
  return static_cast<float>(ldexp(double{x}, n > 500 ? 500 : n < -500 ? -500 : n));
}
inline double scalbn(double x, int n) { return ldexp(x, n); }
inline float scalbnf(float x, int n) { return ldexpf(x, n); }

// ---- the error function
// ------------------------------------------------------------------------------------

namespace cuda_tile::record {

/// erf(x) of x in [0, 2.5]: all terms are positive.
inline double erf_of_small(double x) {
  double sum = x, term = x;
  for (int n = 1; n < 60; ++n) {
    term *= 2 * x * x / (2 * n + 1);
    sum += term;
  }
  return 1.12837916709551257390 * exp(-x * x) * sum;
}

/// erfc(x) of x from 1 on, by a continued fraction.
inline double erfc_of_large(double x) {
  double fraction = x;
  for (int n = 180; n > 0; --n)
    fraction = x + n * 0.5 / fraction;
  double const square = x * x, rest = fma(x, x, -square);
  return x > 30 ? 0.0 : exp(-square) * (1 - rest) / (1.77245385090551602730 * fraction);
}

} // namespace cuda_tile::record

CUDA_TILE_1(erf) {
  double const size = fabs(x);
  return copysign(
      size < 2.5 ? cuda_tile::record::erf_of_small(size) : 1 - cuda_tile::record::erfc_of_large(size), x);
}
CUDA_TILE_1(erfc) {
  double const size = fabs(x);
  if (size < 1)
    return 1 - copysign(cuda_tile::record::erf_of_small(size), x);
  double const rest = cuda_tile::record::erfc_of_large(size);
  return x < 0 ? 2 - rest : rest;
}
CUDA_TILE_1(normcdf) { return erfc(x * -0.70710678118654752440) / 2; }

#undef CUDA_TILE_2
#undef CUDA_TILE_1
