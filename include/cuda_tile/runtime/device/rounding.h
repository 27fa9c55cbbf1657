// Arithmetic and conversions with a rounding mode in their name.
#pragma once

#include <cfenv>
#include <cmath>
#include <limits>

namespace cuda_tile::runtime {

/// Calls `operation` in a rounding mode. Its operands are volatile, so that it happens neither before nor
/// after.
template <typename Operation>
auto rounded(int mode, Operation operation) {
  const int before = fegetround();
  fesetround(mode);
  auto volatile result = operation();
  fesetround(before);
  return static_cast<decltype(operation())>(result);
}

/// A floating point number as an integer, rounded in a mode; the nearest that there is, and 0 for a NaN.
template <typename Integer, typename Float>
Integer to_integer(int mode, Float x) {
  using limits = std::numeric_limits<Integer>;
  if (x != x)
    return 0;
  const Float volatile exact = x;
  const Float whole = rounded(mode, [&] { return std::nearbyint(Float{exact}); });
  if (whole < static_cast<Float>(limits::min()))
    return limits::min();
  // 2 to the number of bits, as the maximum itself may round up to it
  if (whole >= 2 * static_cast<Float>(static_cast<Integer>(Integer{1} << (limits::digits - 1))))
    return limits::max();
  return static_cast<Integer>(whole);
}

} // namespace cuda_tile::runtime

#define CUDA_TILE_MODES(each, ...)                                                                           \
  each(rn, FE_TONEAREST, __VA_ARGS__) each(rz, FE_TOWARDZERO, __VA_ARGS__) each(ru, FE_UPWARD, __VA_ARGS__)  \
      each(rd, FE_DOWNWARD, __VA_ARGS__)

#define CUDA_TILE_ARITHMETIC(suffix, mode, T, prefix)                                                        \
  inline T __##prefix##add_##suffix(T x, T y) {                                                              \
    T const volatile a = x, b = y;                                                                           \
    return cuda_tile::runtime::rounded(mode, [&] { return a + b; });                                         \
  }                                                                                                          \
  inline T __##prefix##sub_##suffix(T x, T y) {                                                              \
    T const volatile a = x, b = y;                                                                           \
    return cuda_tile::runtime::rounded(mode, [&] { return a - b; });                                         \
  }                                                                                                          \
  inline T __##prefix##mul_##suffix(T x, T y) {                                                              \
    T const volatile a = x, b = y;                                                                           \
    return cuda_tile::runtime::rounded(mode, [&] { return a * b; });                                         \
  }                                                                                                          \
  inline T __##prefix##div_##suffix(T x, T y) {                                                              \
    T const volatile a = x, b = y;                                                                           \
    return cuda_tile::runtime::rounded(mode, [&] { return a / b; });                                         \
  }                                                                                                          \
  inline T __##prefix##rcp_##suffix(T x) {                                                                   \
    T const volatile a = x;                                                                                  \
    return cuda_tile::runtime::rounded(mode, [&] { return 1 / a; });                                         \
  }                                                                                                          \
  inline T __##prefix##sqrt_##suffix(T x) {                                                                  \
    T const volatile a = x;                                                                                  \
    return cuda_tile::runtime::rounded(mode, [&] { return std::sqrt(T{a}); });                               \
  }
#define CUDA_TILE_FMA(suffix, mode, T, name)                                                                 \
  inline T name##_##suffix(T x, T y, T z) {                                                                  \
    T const volatile a = x, b = y, c = z;                                                                    \
    return cuda_tile::runtime::rounded(mode, [&] { return std::fma(T{a}, T{b}, T{c}); });                    \
  }
#define CUDA_TILE_TO_INTEGER(suffix, mode, Float, Integer, name)                                             \
  inline Integer name##_##suffix(Float x) { return cuda_tile::runtime::to_integer<Integer>(mode, x); }
#define CUDA_TILE_TO_FLOAT(suffix, mode, From, To, name)                                                     \
  inline To name##_##suffix(From x) {                                                                        \
    From const volatile a = x;                                                                               \
    return cuda_tile::runtime::rounded(mode, [&] { return static_cast<To>(a); });                            \
  }

CUDA_TILE_MODES(CUDA_TILE_ARITHMETIC, float, f)
CUDA_TILE_MODES(CUDA_TILE_ARITHMETIC, double, d)
CUDA_TILE_MODES(CUDA_TILE_FMA, float, __fmaf)
CUDA_TILE_MODES(CUDA_TILE_FMA, double, __fma)
CUDA_TILE_MODES(CUDA_TILE_TO_INTEGER, float, int, __float2int)
CUDA_TILE_MODES(CUDA_TILE_TO_INTEGER, float, unsigned, __float2uint)
CUDA_TILE_MODES(CUDA_TILE_TO_INTEGER, float, long long, __float2ll)
CUDA_TILE_MODES(CUDA_TILE_TO_INTEGER, float, unsigned long long, __float2ull)
CUDA_TILE_MODES(CUDA_TILE_TO_INTEGER, double, int, __double2int)
CUDA_TILE_MODES(CUDA_TILE_TO_INTEGER, double, unsigned, __double2uint)
CUDA_TILE_MODES(CUDA_TILE_TO_INTEGER, double, long long, __double2ll)
CUDA_TILE_MODES(CUDA_TILE_TO_INTEGER, double, unsigned long long, __double2ull)
CUDA_TILE_MODES(CUDA_TILE_TO_FLOAT, int, float, __int2float)
CUDA_TILE_MODES(CUDA_TILE_TO_FLOAT, unsigned, float, __uint2float)
CUDA_TILE_MODES(CUDA_TILE_TO_FLOAT, long long, float, __ll2float)
CUDA_TILE_MODES(CUDA_TILE_TO_FLOAT, unsigned long long, float, __ull2float)
CUDA_TILE_MODES(CUDA_TILE_TO_FLOAT, long long, double, __ll2double)
CUDA_TILE_MODES(CUDA_TILE_TO_FLOAT, unsigned long long, double, __ull2double)
CUDA_TILE_MODES(CUDA_TILE_TO_FLOAT, double, float, __double2float)
#undef CUDA_TILE_TO_FLOAT
#undef CUDA_TILE_TO_INTEGER
#undef CUDA_TILE_FMA
#undef CUDA_TILE_ARITHMETIC
#undef CUDA_TILE_MODES

constexpr double __int2double_rn(int x) { return x; }
constexpr double __uint2double_rn(unsigned x) { return x; }

inline int __double2hiint(double x) {
  return static_cast<int>(__builtin_bit_cast(unsigned long long, x) >> 32);
}
inline int __double2loint(double x) { return static_cast<int>(__builtin_bit_cast(unsigned long long, x)); }
inline double __hiloint2double(int high, int low) {
  return __builtin_bit_cast(double, static_cast<unsigned long long>(static_cast<unsigned>(high)) << 32 |
                                        static_cast<unsigned>(low));
}
