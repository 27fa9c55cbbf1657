// Functions of half and bfloat16, and of pairs of them, that threads call, beyond those of small_float.h. All
// are rounded once, but for the transcendental ones, which are rounded from float.
#pragma once

#include "cuda_tile/compatible/small_floats/small_float.h"
#include "cuda_tile/runtime/device/rounding.h"
#include "cuda_tile/vector_types.h"

#include <cmath>
#include <type_traits>

namespace cuda_tile::runtime {

/// Two elements that compute.
template <typename P>
concept small_float_pair = sizeof(P) == 4 && computing_small_float<decltype(P::x)> && requires(P p) { p.y; };

template <small_float_pair P>
using element = decltype(P::x);

template <computing_small_float E>
E with_bits(unsigned bits) {
  const auto word = static_cast<unsigned short>(bits);
  E x;
  __builtin_memcpy(&x, &word, sizeof x);
  return x;
}

/// x y + z with an odd last bit where it is not exact, so that rounding it again does no harm.
inline double odd_fma(double x, double y, double z) {
  const double product = x * y, sum = product + z; // the product is exact
  const double of_z = sum - product, error = (product - (sum - of_z)) + (z - of_z);
  long long bits = __builtin_bit_cast(long long, sum);
  if (std::isfinite(sum) && error != 0 && bits % 2 == 0)
    bits += (error > 0) == (sum > 0) ? 1 : -1;
  return __builtin_bit_cast(double, bits);
}

/// The nearest element to x that is not above it (FE_DOWNWARD), not below it (FE_UPWARD), ...
template <computing_small_float E, typename T>
E rounded_to(int mode, T x) {
  const E near = static_cast<E>(x);
  const auto value = static_cast<long double>(static_cast<float>(near)); // which has all integers
  const bool is_above = value > static_cast<long double>(x), is_below = value < static_cast<long double>(x);
  const bool down = mode == FE_DOWNWARD || (mode == FE_TOWARDZERO && x > 0);
  const bool up = mode == FE_UPWARD || (mode == FE_TOWARDZERO && x < 0);
  if ((!is_above || !down) && (!is_below || !up))
    return near;
  const unsigned bits = near.__x;
  if ((bits & 0x7fff) == 0) // the smallest of the other sign
    return with_bits<E>(is_above ? 0x8001 : 1);
  return with_bits<E>((bits >> 15 != 0) == is_above ? bits + 1 : bits - 1);
}

/// The larger, or with `less` the smaller: a zero above 0 is larger than one below, NaN is left out.
template <computing_small_float E>
E extremum(E a, E b, bool less) {
  if (a != a || b != b)
    return a != a ? b : a;
  const bool is_first = a == b ? !std::signbit(static_cast<float>(a)) : a > b;
  return is_first != less ? a : b;
}
template <computing_small_float E>
E extremum_or_nan(E a, E b, bool less) {
  return a != a ? a : b != b ? b : extremum(a, b, less);
}
template <computing_small_float E>
E saturated(E x) {
  return x > E(0) ? (x < E(1) ? x : E(1)) : E(0);
}

template <small_float_pair P, typename Function, typename... Pairs>
P by_element(Function function, P first, Pairs... others) {
  return {function(first.x, others.x...), function(first.y, others.y...)};
}

} // namespace cuda_tile::runtime

// ---- one element -----------------------------------------------------------------------------------------

#define CUDA_TILE_OF_ONE(name, expression)                                                                   \
  template <cuda_tile::computing_small_float E>                                                              \
  E name(E a) {                                                                                              \
    return expression;                                                                                       \
  }
#define CUDA_TILE_OF_TWO(name, expression)                                                                   \
  template <cuda_tile::computing_small_float E>                                                              \
  E name(E a, E b) {                                                                                         \
    return expression;                                                                                       \
  }
#define CUDA_TILE_OF_PAIR(name, function)                                                                    \
  template <cuda_tile::runtime::small_float_pair P>                                                          \
  P name(P a) {                                                                                              \
    return cuda_tile::runtime::by_element([](auto x) { return function(x); }, a);                            \
  }
#define CUDA_TILE_OF_PAIRS(name, function)                                                                   \
  template <cuda_tile::runtime::small_float_pair P>                                                          \
  P name(P a, P b) {                                                                                         \
    return cuda_tile::runtime::by_element([](auto x, auto y) { return function(x, y); }, a, b);              \
  }

CUDA_TILE_OF_ONE(__habs, a < E(0) || std::signbit(static_cast<float>(a)) ? -a : a)
CUDA_TILE_OF_PAIR(__habs2, __habs)
CUDA_TILE_OF_PAIR(__hneg2, __hneg)
#define CUDA_TILE_ARITHMETIC(name, of_pairs)                                                                 \
  CUDA_TILE_OF_TWO(__h##name##_rn, __h##name(a, b))                                                          \
  CUDA_TILE_OF_TWO(__h##name##_sat, cuda_tile::runtime::saturated(__h##name(a, b)))                          \
  CUDA_TILE_OF_PAIRS(of_pairs, __h##name)                                                                    \
  CUDA_TILE_OF_PAIRS(of_pairs##_rn, __h##name)                                                               \
  CUDA_TILE_OF_PAIRS(of_pairs##_sat, __h##name##_sat)
CUDA_TILE_ARITHMETIC(add, __hadd2)
CUDA_TILE_ARITHMETIC(sub, __hsub2)
CUDA_TILE_ARITHMETIC(mul, __hmul2)
#undef CUDA_TILE_ARITHMETIC
CUDA_TILE_OF_PAIRS(__h2div, __hdiv)
CUDA_TILE_OF_TWO(__hmax, cuda_tile::runtime::extremum(a, b, false))
CUDA_TILE_OF_TWO(__hmin, cuda_tile::runtime::extremum(a, b, true))
CUDA_TILE_OF_TWO(__hmax_nan, cuda_tile::runtime::extremum_or_nan(a, b, false))
CUDA_TILE_OF_TWO(__hmin_nan, cuda_tile::runtime::extremum_or_nan(a, b, true))
CUDA_TILE_OF_PAIRS(__hmax2, __hmax)
CUDA_TILE_OF_PAIRS(__hmin2, __hmin)
CUDA_TILE_OF_PAIRS(__hmax2_nan, __hmax_nan)
CUDA_TILE_OF_PAIRS(__hmin2_nan, __hmin_nan)

template <cuda_tile::computing_small_float E>
E __hfma(E a, E b, E c) {
  return cuda_tile::runtime::odd_fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));
}
template <cuda_tile::computing_small_float E>
E __hfma_sat(E a, E b, E c) {
  return cuda_tile::runtime::saturated(__hfma(a, b, c));
}
template <cuda_tile::computing_small_float E>
E __hfma_relu(E a, E b, E c) {
  return __hmax_nan(__hfma(a, b, c), E(0));
}
#define CUDA_TILE_OF_THREE(name, function)                                                                   \
  template <cuda_tile::runtime::small_float_pair P>                                                          \
  P name(P a, P b, P c) {                                                                                    \
    return cuda_tile::runtime::by_element([](auto x, auto y, auto z) { return function(x, y, z); }, a, b,    \
                                          c);                                                                \
  }
CUDA_TILE_OF_THREE(__hfma2, __hfma)
CUDA_TILE_OF_THREE(__hfma2_sat, __hfma_sat)
CUDA_TILE_OF_THREE(__hfma2_relu, __hfma_relu)
#undef CUDA_TILE_OF_THREE

#define CUDA_TILE_FUNCTION(name, expression)                                                                 \
  CUDA_TILE_OF_ONE(h##name, [](float x) { return static_cast<E>(expression); }(a))                           \
  CUDA_TILE_OF_PAIR(h2##name, h##name)
CUDA_TILE_FUNCTION(exp, std::exp(x))
CUDA_TILE_FUNCTION(exp2, std::exp2(x))
CUDA_TILE_FUNCTION(exp10, std::pow(10.0, double{x}))
CUDA_TILE_FUNCTION(log, std::log(x))
CUDA_TILE_FUNCTION(log2, std::log2(x))
CUDA_TILE_FUNCTION(log10, std::log10(x))
CUDA_TILE_FUNCTION(sqrt, std::sqrt(double{x}))
CUDA_TILE_FUNCTION(rsqrt, 1 / std::sqrt(double{x}))
CUDA_TILE_FUNCTION(rcp, 1 / double{x})
CUDA_TILE_FUNCTION(sin, std::sin(x))
CUDA_TILE_FUNCTION(cos, std::cos(x))
CUDA_TILE_FUNCTION(tanh, std::tanh(x))
CUDA_TILE_FUNCTION(floor, std::floor(x))
CUDA_TILE_FUNCTION(ceil, std::ceil(x))
CUDA_TILE_FUNCTION(trunc, std::trunc(x))
CUDA_TILE_FUNCTION(rint, std::nearbyint(x))
#undef CUDA_TILE_FUNCTION
CUDA_TILE_OF_ONE(htanh_approx, htanh(a))
CUDA_TILE_OF_PAIR(h2tanh_approx, htanh)
/// a b + c, of complex numbers.
template <cuda_tile::runtime::small_float_pair P>
P __hcmadd(P a, P b, P c) {
  return {__hfma(-a.y, b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))};
}

// ---- comparisons -----------------------------------------------------------------------------------------

template <cuda_tile::computing_small_float E>
int __hisinf(E a) {
  const float x = a;
  return std::isinf(x) ? (x > 0 ? 1 : -1) : 0;
}
/// Of elements; of pairs as elements that are 1 or 0, as a mask, and of both elements at once.
#define CUDA_TILE_COMPARISON(name)                                                                           \
  template <cuda_tile::runtime::small_float_pair P>                                                          \
  P __h##name##2(P a, P b) {                                                                                 \
    return {static_cast<float>(__h##name(a.x, b.x)), static_cast<float>(__h##name(a.y, b.y))};               \
  }                                                                                                          \
  template <cuda_tile::runtime::small_float_pair P>                                                          \
  unsigned __h##name##2_mask(P a, P b) {                                                                     \
    return (__h##name(a.x, b.x) ? 0xffffu : 0) | (__h##name(a.y, b.y) ? 0xffff0000u : 0);                    \
  }                                                                                                          \
  template <cuda_tile::runtime::small_float_pair P>                                                          \
  bool __hb##name##2(P a, P b) {                                                                             \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                                       \
  }
#define CUDA_TILE_UNORDERED(name)                                                                            \
  template <cuda_tile::computing_small_float E>                                                              \
  bool __h##name##u(E a, E b) {                                                                              \
    return a != a || b != b || __h##name(a, b);                                                              \
  }                                                                                                          \
  CUDA_TILE_COMPARISON(name)                                                                                 \
  CUDA_TILE_COMPARISON(name##u)
CUDA_TILE_UNORDERED(eq)
CUDA_TILE_UNORDERED(ne)
CUDA_TILE_UNORDERED(lt)
CUDA_TILE_UNORDERED(le)
CUDA_TILE_UNORDERED(gt)
CUDA_TILE_UNORDERED(ge)
#undef CUDA_TILE_UNORDERED
#undef CUDA_TILE_COMPARISON
template <cuda_tile::runtime::small_float_pair P>
P __hisnan2(P a) {
  return {static_cast<float>(__hisnan(a.x)), static_cast<float>(__hisnan(a.y))};
}

// ---- operators of pairs ----------------------------------------------------------------------------------

#define CUDA_TILE_OPERATOR(sign, function)                                                                   \
  CUDA_TILE_OF_PAIRS(operator sign, function)                                                                \
  template <cuda_tile::runtime::small_float_pair P>                                                          \
  P& operator sign## = (P & a, P b) {                                                                        \
    return a = a sign b;                                                                                     \
  }
CUDA_TILE_OPERATOR(+, __hadd)
CUDA_TILE_OPERATOR(-, __hsub)
CUDA_TILE_OPERATOR(*, __hmul)
CUDA_TILE_OPERATOR(/, __hdiv)
#undef CUDA_TILE_OPERATOR
CUDA_TILE_OF_PAIR(operator-, __hneg)
template <cuda_tile::runtime::small_float_pair P>
bool operator==(P a, P b) {
  return __hbeq2(a, b);
}
template <cuda_tile::runtime::small_float_pair P>
P __lowhigh2highlow(P a) {
  return {a.y, a.x};
}

#undef CUDA_TILE_OF_ONE
#undef CUDA_TILE_OF_TWO
#undef CUDA_TILE_OF_PAIR
#undef CUDA_TILE_OF_PAIRS

// ---- conversions, whose names have the type in them ------------------------------------------------------

#define CUDA_TILE_SMALL_FLOAT(id, E, P)                                                                      \
  CUDA_TILE_SMALL_FLOAT_MODE(id, E, rn, FE_TONEAREST)                                                        \
  CUDA_TILE_SMALL_FLOAT_MODE(id, E, rz, FE_TOWARDZERO)                                                       \
  CUDA_TILE_SMALL_FLOAT_MODE(id, E, ru, FE_UPWARD)                                                           \
  CUDA_TILE_SMALL_FLOAT_MODE(id, E, rd, FE_DOWNWARD)                                                         \
  CUDA_TILE_SMALL_FLOAT_DIRECTED(id, E, rz, FE_TOWARDZERO)                                                   \
  CUDA_TILE_SMALL_FLOAT_DIRECTED(id, E, ru, FE_UPWARD)                                                       \
  CUDA_TILE_SMALL_FLOAT_DIRECTED(id, E, rd, FE_DOWNWARD)                                                     \
  inline E __uint2##id##_rn(unsigned x) { return x; }                                                        \
  CUDA_TILE_SMALL_FLOAT_FROM(id, E, short, short)                                                            \
  CUDA_TILE_SMALL_FLOAT_FROM(id, E, ushort, unsigned short)                                                  \
  CUDA_TILE_SMALL_FLOAT_FROM(id, E, ll, long long)                                                           \
  CUDA_TILE_SMALL_FLOAT_FROM(id, E, ull, unsigned long long)                                                 \
  inline P __##id##2##id##2(E x) { return {x, x}; }                                                          \
  inline P __float2##id##2_rn(float x) { return {x, x}; }                                                    \
  inline P __float22##id##2_rn(float2 v) { return {v.x, v.y}; }                                              \
  inline float2 __##id##22float2(P v) { return {v.x, v.y}; }                                                 \
  inline P __low2##id##2(P v) { return {v.x, v.x}; }                                                         \
  inline P __high2##id##2(P v) { return {v.y, v.y}; }                                                        \
  inline P __lows2##id##2(P a, P b) { return {a.x, b.x}; }                                                   \
  inline P __highs2##id##2(P a, P b) { return {a.y, b.y}; }                                                  \
  inline P make_##id##2(E x, E y) { return {x, y}; }                                                         \
  inline short __##id##_as_short(E x) { return static_cast<short>(x.__x); }                                  \
  inline E __short_as_##id(short bits) {                                                                     \
    return cuda_tile::runtime::with_bits<E>(static_cast<unsigned short>(bits));                              \
  }
/// To integers. A value that an integer type does not have becomes the nearest that it has, a NaN 0.
#define CUDA_TILE_SMALL_FLOAT_MODE(id, E, suffix, mode)                                                      \
  CUDA_TILE_SMALL_FLOAT_TO(id, E, suffix, mode, int, int)                                                    \
  CUDA_TILE_SMALL_FLOAT_TO(id, E, suffix, mode, uint, unsigned)                                              \
  CUDA_TILE_SMALL_FLOAT_TO(id, E, suffix, mode, short, short)                                                \
  CUDA_TILE_SMALL_FLOAT_TO(id, E, suffix, mode, ushort, unsigned short)                                      \
  CUDA_TILE_SMALL_FLOAT_TO(id, E, suffix, mode, ll, long long)                                               \
  CUDA_TILE_SMALL_FLOAT_TO(id, E, suffix, mode, ull, unsigned long long)                                     \
  CUDA_TILE_SMALL_FLOAT_TO(id, E, suffix, mode, char, signed char)                                           \
  CUDA_TILE_SMALL_FLOAT_TO(id, E, suffix, mode, uchar, unsigned char)
#define CUDA_TILE_SMALL_FLOAT_TO(id, E, suffix, mode, name, T)                                               \
  inline T __##id##2##name##_##suffix(E x) {                                                                 \
    return cuda_tile::runtime::to_integer<T>(mode, static_cast<float>(x));                                   \
  }
#define CUDA_TILE_SMALL_FLOAT_DIRECTED(id, E, suffix, mode)                                                  \
  inline E __float2##id##_##suffix(float x) { return cuda_tile::runtime::rounded_to<E>(mode, x); }           \
  inline E __int2##id##_##suffix(int x) { return cuda_tile::runtime::rounded_to<E>(mode, x); }               \
  inline E __uint2##id##_##suffix(unsigned x) { return cuda_tile::runtime::rounded_to<E>(mode, x); }
#define CUDA_TILE_SMALL_FLOAT_FROM(id, E, name, T)                                                           \
  inline E __##name##2##id##_rn(T x) { return x; }                                                           \
  inline E __##name##2##id##_rz(T x) { return cuda_tile::runtime::rounded_to<E>(FE_TOWARDZERO, x); }         \
  inline E __##name##2##id##_ru(T x) { return cuda_tile::runtime::rounded_to<E>(FE_UPWARD, x); }             \
  inline E __##name##2##id##_rd(T x) { return cuda_tile::runtime::rounded_to<E>(FE_DOWNWARD, x); }
