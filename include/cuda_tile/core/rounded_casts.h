// [2.3.19 of 13.5] Conversions of floating point elements that round in a direction, or that saturate.
#pragma once

#include "cuda_tile/core/constants.h"
#include "cuda_tile/core/convert.h"

#if CUDA_TILE_API_VERSION >= 1305

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// Whether From converts to To in a mode: what each instruction of a GPU can do.
template <typename To, typename From, rounding_mode Mode>
CUDA_TILE_CONSTEXPR bool casts_in_mode() {
  constexpr bool even = Mode == rounding_mode::round_ties_to_even,
                 zero = Mode == rounding_mode::round_toward_zero,
                 positive = Mode == rounding_mode::round_toward_positive,
                 directed = zero || positive || Mode == rounding_mode::round_toward_negative,
                 away = Mode == rounding_mode::round_ties_to_away;
  if constexpr (!is_floating_point_v<To> || !is_floating_point_v<From>)
    return false;
  else if constexpr (!scalar_traits<To>::has_zero) // e8m0
    return zero || positive;
  else if constexpr (is_restricted_floating_point_v<To> && scalar_traits<To>::saturates)
    return even;
  else if constexpr (floating_rank_within<From, To>)
    return even || directed || away;
  else if constexpr (is_same_v<From, double> && is_same_v<To, float>)
    return even || directed;
  else if constexpr (is_same_v<From, float> && is_same_v<To, __nv_tf32>)
    return even || zero || away;
  else
    return even || zero;
}

/// x in the last bit that To has: tf32 ignores the rest of a float.
template <typename To>
inline constexpr unsigned last_bit = is_same_v<To, __nv_tf32> ? 1u << 13 : 1u;

/// The conversion of `x` to To in a mode.
template <typename To, rounding_mode Mode, typename From>
CUDA_TILE_API To convert_in_mode(From x) {
  if constexpr (Mode == rounding_mode::round_ties_to_even ||
                (scalar_traits<To>::has_zero && floating_rank_within<From, To>)) {
    return detail::convert<To>(x);
  } else {
#if CUDA_TILE_RECORD
    return detail::recorded<::cuda_tile::record::convert<To, From, static_cast<int>(Mode)>, To>(x);
#else
    using B = bits_t<To>;
    if constexpr (!scalar_traits<To>::has_zero) { // to e8m0, whose conversion rounds the magnitude up
      To const above = detail::convert<To>(x);
      B const bits = platform::bit_cast<B>(above);
      double const exact = detail::convert<double>(x), back = detail::convert<double>(above);
      bool const down =
          Mode == rounding_mode::round_toward_zero && bits != 0 && back > (exact < 0 ? -exact : exact);
      return down ? platform::bit_cast<To>(static_cast<B>(bits - 1)) : above;
    } else if constexpr (Mode == rounding_mode::round_ties_to_away) { // to tf32
      unsigned const bits = platform::bit_cast<unsigned>(x);
      bool const is_finite = (bits & 0x7f800000u) != 0x7f800000u;
      return is_finite ? platform::bit_cast<To>((bits + 0x1000u) & 0xffffe000u) : detail::convert<To>(x);
    } else {
      To const nearest = detail::convert<To>(x);
      double const back = detail::convert<double>(nearest);
      double const exact = detail::convert<double>(x);
      B const bits = platform::bit_cast<B>(nearest);
      bool const is_negative = (bits >> (sizeof(B) * 8 - 1)) != 0;
      constexpr bool up = Mode == rounding_mode::round_toward_positive,
                     down = Mode == rounding_mode::round_toward_negative;
      bool const too_great = back > exact && (down || (!up && !is_negative));
      bool const too_small = back < exact && (up || (!down && is_negative));
      // Toward zero unless the direction leads away from it.
      bool const away = is_negative ? too_great : too_small;
      B const step = static_cast<B>(last_bit<To>);
      B const moved = static_cast<B>(away ? bits + step : bits - step);
      return too_great || too_small ? platform::bit_cast<To>(moved) : nearest;
    }
#endif
  }
}

/// `x` without its fraction, the nearest value of I; 0 for NaN. To bool: whether it is not zero.
template <typename I, typename From>
CUDA_TILE_API I convert_saturating(From x) {
  using C = conditional_t<is_same_v<From, double>, double, float>;
  C const value = detail::convert<C>(x);
  if constexpr (is_bool_v<I>) {
    return value != 0;
  } else {
#if CUDA_TILE_RECORD
    return ::cuda_tile::record::pure<::cuda_tile::record::saturated<I, C>, I>(value);
#else
    constexpr C limit = static_cast<C>(static_cast<unsigned long long>(greatest_v<I> / 2 + 1)) * 2;
    constexpr C least = is_signed_v<I> ? -limit : C(0);
    I const inside = static_cast<I>(value > least && value < limit ? value : C(0));
    return value >= limit ? greatest_v<I> : value <= least ? least_v<I> : inside;
#endif
  }
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail

#endif
