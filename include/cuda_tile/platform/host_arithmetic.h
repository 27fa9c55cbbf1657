// Arithmetic of the host's floating point types. Each operation is rounded once, by -ffp-contract=off or
// clang's pragma.
#pragma once

#include "cuda_tile/config.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::platform {

#if defined(__clang__)
#pragma clang fp contract(off)
#endif

// clang-format off
template <typename T> constexpr T add(T a, T b) { return a + b; }
template <typename T> constexpr T sub(T a, T b) { return a - b; }
template <typename T> constexpr T mul(T a, T b) { return a * b; }
template <typename T> constexpr T div(T a, T b) { return a / b; }
inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline float fmod(float a, float b) { return __builtin_fmodf(a, b); }
inline double fmod(double a, double b) { return __builtin_fmod(a, b); }
// clang-format on

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__aarch64__)
inline constexpr bool has_fma = true;
#else
inline constexpr bool has_fma = false;
#endif

/// a * b + c in whichever way is fastest, for sums whose rounding the manual leaves open [2.5].
template <typename T>
inline T multiply_add(T a, T b, T c) {
  if constexpr (has_fma)
    return platform::fma(a, b, c);
  else
    return a * b + c;
}

/// Hides what a number is made of. g++ makes vectors of two conversions from double to float and back, and
/// then drops both, with the rounding, unless it cannot see that they belong together.
template <typename T>
inline T hidden(T x) {
#if defined(__GNUC__) && !defined(__clang__) && defined(__SSE2__)
  asm("" : "+x"(x));
#elif defined(__GNUC__) && !defined(__clang__) && defined(__aarch64__)
  asm("" : "+w"(x));
#endif
  return x;
}

/// An integer of which compilers do not know that others equal it.
inline long long hidden(long long x) {
#if defined(__GNUC__)
  asm("" : "+r"(x));
#endif
  return x;
}

/// x, rounded to float.
inline float to_float(double x) {
  float const rounded = static_cast<float>(x);
  return __builtin_constant_p(x) ? rounded : platform::hidden(rounded);
}

/// An integer as a float. g++ makes trunc(x) of float(int(x)), which may be -0: the sum never is.
template <typename To, typename From>
inline To as_float(From x) {
  To const result = static_cast<To>(x);
  return result + To(0);
}

inline constexpr bool small_floats_convert = false;

/// Tells the compiler nothing: no host compiler gained by it.
constexpr void assume(bool) {}

template <typename To, typename From>
constexpr To bit_cast(From const& from) {
  return __builtin_bit_cast(To, from);
}

template <size_t Bytes>
inline void copy(void* to, void const* from) {
  __builtin_memcpy(to, from, Bytes);
}

/// Copies between an array and an address that is a multiple of Bytes. g++ is not told so: it would take the
/// address for aligned where it is not, too, beyond the condition that these copies stand under.
template <unsigned Bytes>
inline void store_aligned(void* to, void const* from) {
  __builtin_memcpy(to, from, Bytes);
}
template <unsigned Bytes>
inline void store_global(void* to, void const* from) {
  platform::store_aligned<Bytes>(to, from);
}
template <typename T>
inline T* opaque(T* p) {
  return p;
}
template <unsigned Bytes>
inline void load_aligned(void* to, void const* from) {
  __builtin_memcpy(to, from, Bytes);
}

/// Loads Count elements: the first `count` ones at `from`, then `pad`. If AtOnce, `from` is a multiple of
/// their size, and `count` is at least Count or not positive.
template <unsigned Count, bool AtOnce, typename E>
inline void load_first(E* to, E const* from, int count, E pad) {
  for (int i = 0; i < static_cast<int>(Count); ++i)
    to[i] = i < count ? from[i] : pad;
}
/// Stores the first `count` elements at `from` to `to`, likewise.
template <unsigned Count, bool AtOnce, typename E>
inline void store_first(E* to, E const* from, int count) {
  for (int i = 0; i < static_cast<int>(Count) && i < count; ++i)
    to[i] = from[i];
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform
