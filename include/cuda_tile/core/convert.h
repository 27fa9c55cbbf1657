// [1.7.2] The scalar conversion itself, rounded once to nearest, ties to even.
//
// NVIDIA's small types convert from and to float. A wider source is first rounded to odd in float, which
// keeps the second rounding correct.
#pragma once

#include "cuda_tile/core/conversions.h"
#include "cuda_tile/core/small_float_bits.h"
#include "cuda_tile/platform/platform.h"
#if CUDA_TILE_RECORD
#include "cuda_tile/core/recorded.h"
#endif

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

template <typename E>
inline constexpr bool is_below_float = is_floating_point_v<E> && floating_rank<E>() < floating_rank<float>();

/// `x` as a float: exact, or whichever of the two neighbouring floats has a last bit of 1.
CUDA_TILE_API float to_odd_float(double x) {
  float nearest = platform::to_float(x);
  double back = nearest;
  unsigned b = platform::bit_cast<unsigned>(nearest);
  bool away = nearest > 0 ? back > x : nearest < 0 && back < x;
  bool inexact = back != x && x == x;
  if (away)
    --b;
  if (inexact)
    b |= 1;
  return platform::bit_cast<float>(b);
}

template <typename I>
  requires is_integral_scalar_v<I>
CUDA_TILE_API float to_odd_float(I x) {
  if constexpr (sizeof(I) < 4) {
    return static_cast<float>(x);
  } else if constexpr (sizeof(I) == 4) {
    return detail::to_odd_float(static_cast<double>(x));
  } else {
    using bits = bits_t<I>;
    bool negative = x < 1 && x != 0; // NVRTC warns about comparing unsigned numbers with < 0
    bits magnitude = negative ? bits(0) - static_cast<bits>(x) : static_cast<bits>(x);
    int shift = 0;
    bits kept = magnitude;
    while (kept >> 24 != 0) {
      kept = static_cast<bits>(kept >> 1 | (kept & 1));
      ++shift;
    }
    // 2^shift, exactly.
    float value = static_cast<float>(static_cast<unsigned>(kept)) *
                  platform::bit_cast<float>(static_cast<unsigned>(127 + shift) << 23);
    return negative ? -value : value;
  }
}

// On a device, NVIDIA's types convert themselves with its instructions. Those for tf32 exist only there, but
// the bits are the same everywhere.
template <typename E>
inline constexpr bool converts_itself = platform::small_floats_convert && !is_same_v<E, __nv_tf32>;

template <typename To>
CUDA_TILE_API To from_float(float x) {
  if constexpr (converts_itself<To>)
    return static_cast<To>(x);
  else
    return platform::bit_cast<To>(static_cast<bits_t<To>>(format_of<To>::from_float(x)));
}
template <typename From>
CUDA_TILE_API float to_float(From x) {
  if constexpr (converts_itself<From>)
    return static_cast<float>(x);
  else
    return format_of<From>::to_float(platform::bit_cast<bits_t<From>>(x));
}

/// A float that becomes the same To as `x` does when it is rounded.
template <typename To, typename From>
CUDA_TILE_API float float_before_rounding(From x) {
  if constexpr (is_below_float<From>)
    return detail::to_float(x);
  else if constexpr (is_same_v<From, float>)
    return x;
  else if constexpr (is_integral_scalar_v<From> && scalar_traits<To>::exponent_bits < 8)
    return static_cast<float>(x); // exact, or beyond the range of To
  else
    return detail::to_odd_float(x);
}

/// The scalar conversion of `x` to To.
template <typename To, typename From>
CUDA_TILE_API To convert(From x) {
  if constexpr (is_same_v<To, From>)
    return x;
#if CUDA_TILE_RECORD // not by their bits
  else if constexpr (is_below_float<From> || is_below_float<To>)
    return detail::convert_small<To>(x);
  else
    return static_cast<To>(x);
#else
  else if constexpr (is_same_v<To, float> && is_same_v<From, double>)
    return platform::to_float(x);
  else if constexpr (is_below_float<From>)
    return detail::convert<To>(detail::to_float(x));
  else if constexpr (is_integral_scalar_v<From> && is_floating_point_v<To> && !is_below_float<To>)
    return platform::as_float<To>(x);
  else if constexpr (!is_below_float<To>)
    return static_cast<To>(x);
  else
    return detail::from_float<To>(detail::float_before_rounding<To>(x));
#endif
}

/// The same as a function object, which back ends know.
template <typename To>
struct conversion_to {
  template <typename From>
  CUDA_TILE_API To operator()(From x) const {
    return detail::convert<To>(x);
  }
};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
