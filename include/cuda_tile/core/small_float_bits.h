// Converts the bits of small floating point values from and to float [1.7.2] using integer arithmetic without
// branches, which host compilers vectorise.
#pragma once

#include "cuda_tile/core/scalars.h"
#include "cuda_tile/platform/platform.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

template <int Mantissa, int Exponent, beyond_finite Beyond, bool Saturates>
struct small_format {
  static constexpr int bias = (1 << (Exponent - 1)) - 1;
  static constexpr int shift = 23 - Mantissa; // from a float's mantissa to the position of this one
  static constexpr unsigned sign = 1u << (Mantissa + Exponent);
  static constexpr unsigned infinity = ((1u << Exponent) - 1) << Mantissa;
  static constexpr unsigned greatest = Beyond == beyond_finite::infinity ? infinity - 1
                                       : Beyond == beyond_finite::nan    ? sign - 2
                                                                         : sign - 1;
  static constexpr unsigned nan = Beyond == beyond_finite::infinity ? sign - 1
                                  : Beyond == beyond_finite::nan    ? sign - 1
                                                                    : greatest;

  /// Rounded to nearest, ties to even.
  static CUDA_TILE_BITS unsigned from_float(float x) {
    unsigned bits = platform::bit_cast<unsigned>(x);
    unsigned magnitude = bits & 0x7fffffffu;
    unsigned rounded = (magnitude + (1u << (shift - 1)) - 1 + (magnitude >> shift & 1)) >> shift;
    if constexpr (bias < 127) {
      // Below the least normal value a float addition does the rounding: the last bit of the sum is worth our
      // last bit.
      constexpr unsigned least_normal = static_cast<unsigned>(127 - bias + 1) << 23;
      constexpr unsigned one_up = static_cast<unsigned>(127 - bias + shift + 1) << 23;
      float sum = platform::bit_cast<float>(magnitude) + platform::bit_cast<float>(one_up);
      unsigned subnormal = platform::bit_cast<unsigned>(sum) - one_up;
      unsigned normal = rounded - (static_cast<unsigned>(127 - bias) << Mantissa);
      rounded = magnitude < least_normal ? subnormal : normal;
    }
    constexpr unsigned limit = Saturates ? greatest : Beyond == beyond_finite::infinity ? infinity : nan;
    rounded = rounded > limit ? limit : rounded;
    rounded = magnitude > 0x7f800000u ? nan : rounded;
    // NaN has no sign here, as on a device.
    bool signless = magnitude > 0x7f800000u || (!Saturates && Beyond == beyond_finite::nan && rounded == nan);
    return rounded | (signless ? 0 : bits >> 31 << (Mantissa + Exponent));
  }

  /// The bits of a float F, or of a vector of them. Exact.
  template <typename F = float, typename Bits>
  static CUDA_TILE_BITS Bits float_bits(Bits small) {
    Bits magnitude = small & (sign - 1);
    Bits bits = magnitude << shift;
    if constexpr (bias < 127) {
      // In floats from this power of two on, the last bit is worth the last bit of our subnormal values. So
      // no number here is a subnormal float, with which processors are slow.
      constexpr unsigned power = static_cast<unsigned>(127 - bias + shift + 1) << 23;
      F subnormal = platform::bit_cast<F>(power | magnitude) - platform::bit_cast<float>(power);
      Bits normal = bits + (static_cast<unsigned>(127 - bias) << 23);
      bits = magnitude < (1u << Mantissa) ? platform::bit_cast<Bits>(subnormal) : normal;
    }
    if constexpr (Beyond == beyond_finite::infinity)
      bits = magnitude >= infinity ? bits | 0x7f800000u : bits;
    if constexpr (Beyond == beyond_finite::nan)
      bits = magnitude == nan ? Bits{} + 0x7fffffffu : bits;
    return bits | (small & sign) << (31 - Mantissa - Exponent);
  }
  static CUDA_TILE_BITS float to_float(unsigned small) {
    return platform::bit_cast<float>(float_bits(small));
  }
};

/// A power of two, or NaN: no sign, no zero [13.4]. Rounded up, as NVIDIA's type does by default.
struct e8m0_format {
  static CUDA_TILE_BITS unsigned from_float(float x) {
    unsigned magnitude = platform::bit_cast<unsigned>(x) & 0x7fffffffu;
    unsigned exponent = magnitude >> 23;
    bool up = exponent != 0 ? (magnitude & 0x7fffffu) != 0 : (magnitude > 0x400000u);
    unsigned rounded = exponent + (up ? 1 : 0);
    return magnitude > 0x7f800000u ? 255 : rounded > 254 ? 254 : rounded;
  }
  template <typename F = float, typename Bits>
  static CUDA_TILE_BITS Bits float_bits(Bits small) {
    Bits bits = small == 255 ? Bits{} + 0x7fffffffu : small << 23;
    return small == 0 ? Bits{} + 0x400000u : bits;
  }
  static CUDA_TILE_BITS float to_float(unsigned small) {
    return platform::bit_cast<float>(float_bits(small));
  }
};

/// tf32 is a float whose last 13 bits are ignored.
struct tf32_format {
  static CUDA_TILE_BITS unsigned from_float(float x) {
    // Without conditions, which compilers keep as branches where they unroll a loop over a few elements.
    unsigned b = platform::bit_cast<unsigned>(x);
    unsigned rounded = (b + 0x0fffu + (b >> 13 & 1)) & 0xffffe000u;
    unsigned special = b | (((b & 0x007fffffu) + 0x007fffffu) >> 1 & 0x00400000u); // NaN becomes quiet
    unsigned is_special = 0u - (((b >> 23 & 0xffu) + 1) >> 8);
    return (special & is_special) | (rounded & ~is_special);
  }
  static CUDA_TILE_BITS float to_float(unsigned small) {
    return platform::bit_cast<float>(small & 0xffffe000u);
  }
};

/// The bits of E, whose traits describe the format of types with an exponent and a mantissa. Where a format
/// lacks the sign, its bit is beyond the bits of E, and conversions drop it, as NVIDIA's header does.
template <typename E, typename Traits = scalar_traits<E>>
struct format_of
    : small_format<Traits::mantissa_bits, Traits::exponent_bits, Traits::beyond, Traits::saturates> {
  static_assert(Traits::has_zero && Traits::bias == (1 << (Traits::exponent_bits - 1)) - 1);
};
/// bfloat16 is the upper half of a float.
template <>
struct format_of<__nv_bfloat16> : small_format<7, 8, beyond_finite::infinity, false> {
  static CUDA_TILE_BITS unsigned from_float(float x) {
    unsigned bits = platform::bit_cast<unsigned>(x);
    return x != x ? nan : (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
  }
  static CUDA_TILE_BITS float to_float(unsigned small) { return platform::bit_cast<float>(small << 16); }
};
template <>
struct format_of<__nv_fp8_e8m0> : e8m0_format {};
template <>
struct format_of<__nv_tf32> : tf32_format {};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
