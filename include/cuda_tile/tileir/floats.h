// Comparisons of floats, and conversions from and to them.
#pragma once

#include "cuda_tile/tileir/integers.h"

namespace cuda_tile::inline CUDA_TILE_ABI::tileir {

/// Whether a comparison is false for NaN and has to be, or true and has to be.
template <bool Ordered, typename F>
inline constexpr bool compares_nan_so = !is_same_v<F, elements::not_equal> == Ordered;

/// Comparison of floats: where an operand is NaN, false if ordered, true if not.
template <bool Ordered, typename F>
struct comparing_floats {
  template <typename E>
  CUDA_TILE_API bool operator()(E x, E y) const {
    using C = elements::compute_t<E>;
    C p = convert<C>(x), q = convert<C>(y);
    bool nan = p != p || q != q;
    return Ordered ? !nan && F{}(p, q) : nan || F{}(p, q);
  }
};
template <typename R, bool Ordered, typename F, typename A>
CUDA_TILE_API R compare_floats(F, A const& a, A const& b) {
  if constexpr (compares_nan_so<Ordered, F>)
    return map<R>(F{}, a, b);
  else
    return map<R>(comparing_floats<Ordered, F>{}, a, b);
}

/// Where casts of the API saturate, an integer out of range is an infinity, or NaN if E has none [8.4.5].
template <typename R, sign Sign, typename A>
CUDA_TILE_API R to_float(A const& a) {
  using E = ct::tile_element_t<R>;
  using traits = scalar_traits<E>;
  return map<R>(
      [](auto x) {
        if constexpr (is_restricted_floating_point_v<E> && traits::saturates) {
          using format = small_format<traits::mantissa_bits, traits::exponent_bits, traits::beyond, false>;
          return bit_cast<E>(static_cast<bits_t<E>>(format::from_float(convert<float>(read<Sign>(x)))));
        } else {
          return convert<E>(read<Sign>(x));
        }
      },
      a);
}

/// Rounded in the given direction; for e8m0, which has no sign, the magnitude is rounded toward zero.
template <typename R, ct::rounding_mode Mode, typename A>
CUDA_TILE_API R round_to(A const& a) {
  using E = ct::tile_element_t<R>;
  return map<R>(
      [](auto x) {
        using wide = conditional_t<is_same_v<decltype(x), double>, double, float>;
        wide value = convert<wide>(x);
        if constexpr (is_same_v<E, double>) {
          return convert<double>(x);
        } else if constexpr (is_same_v<E, __nv_fp8_e8m0>) {
          E above = convert<E>(value);
          auto bits = bit_cast<unsigned char>(above);
          bool step = convert<wide>(above) > elements::abs{}(value) && bits != 0;
          return bit_cast<E>(static_cast<unsigned char>(bits - step));
        } else {
          return elements::narrow<Mode, E>(value);
        }
      },
      a);
}
/// Rounded to nearest, ties away from zero. Only conversions to tf32 are ever inexact.
template <typename R, typename A>
CUDA_TILE_API R round_away(A const& a) {
  using E = ct::tile_element_t<R>;
  return map<R>(
      [](auto x) {
        if constexpr (is_same_v<E, __nv_tf32>) {
          float value;
          if constexpr (is_same_v<decltype(x), double>)
            value = to_odd_float(x);
          else
            value = convert<float>(x);
          unsigned bits = bit_cast<unsigned>(value);
          bool finite = (bits & 0x7f800000u) != 0x7f800000u;
          return finite ? bit_cast<E>((bits + 0x1000u) & 0xffffe000u) : convert<E>(value);
        } else {
          return convert<E>(x);
        }
      },
      a);
}

/// Truncated toward zero and clamped to the range of the result; NaN becomes zero. For i1, whether the value
/// is not zero.
template <typename R, sign Sign, typename A>
CUDA_TILE_API R to_integer(A const& a) {
  using E = ct::tile_element_t<R>;
  return map<R>(
      [](auto x) {
        using wide = conditional_t<is_same_v<decltype(x), double>, double, float>;
        constexpr int bits = bitwidth_v<E>;
        wide value = convert<wide>(x);
        if constexpr (is_same_v<E, bool>)
          return value != 0;
        wide const beyond = static_cast<wide>(1ULL << (bits - 1)) * (Sign == as_signed ? 1 : 2);
        using number = conditional_t<bits <= 32, int, long long>;
        unsigned long long greatest = Sign == as_unsigned ? ~0ULL >> (64 - bits) : (1ULL << (bits - 1)) - 1;
        if constexpr (bits <= 16) { // the greatest one is a float, and processors convert to int
          wide const high = static_cast<wide>(greatest), low = Sign == as_signed ? -beyond : wide(0);
          int const is_number = 0 - static_cast<int>(value == value);
          value = value < high ? value : high; // in this way minima and maxima of processors do it
          value = value > low ? value : low;
          return write<E>(static_cast<int>(value) & is_number);
        }
        if (value != value)
          return write<E>(0);
        if (value >= beyond)
          return write<E>(greatest);
        if constexpr (Sign == as_signed)
          return write<E>(value < -beyond ? static_cast<number>(~greatest) : static_cast<number>(value));
        else
          return write<E>(value <= 0 ? 0ULL : static_cast<unsigned long long>(value));
      },
      a);
}

} // namespace cuda_tile::inline CUDA_TILE_ABI::tileir
