// Directed rounding on the host [1.9.1], in integers: the exact result as a significand of up to 128 bits,
// rounded once. Neither the floating-point environment nor compiler flags matter. Mode is a value of
// rounding_mode: 1 toward zero, 2 toward negative, 3 toward positive. F is float or double; narrower types go
// through float, since directed rounding to a type and then to a narrower one is directed rounding to the
// narrower one.
#pragma once

#include "cuda_tile/platform/host_arithmetic.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::platform::rounded {

__extension__ typedef unsigned __int128 wide;

template <typename F>
struct format;
template <>
struct format<float> {
  using bits = unsigned int;
  static constexpr int mantissa = 23, bias = 127;
};
template <>
struct format<double> {
  using bits = unsigned long long;
  static constexpr int mantissa = 52, bias = 1023;
};

/// (-1)^negative * significand * 2^exponent; with `rest`, the magnitude is larger by less than one unit of
/// the significand.
struct exact {
  bool negative;
  int exponent;
  wide significand;
  bool rest = false;
};

inline int highest_bit(wide x) {
  unsigned long long upper = static_cast<unsigned long long>(x >> 64);
  return upper != 0 ? 127 - __builtin_clzll(upper) : 63 - __builtin_clzll(static_cast<unsigned long long>(x));
}

template <typename F>
inline bool is_finite(F x) {
  using bits = typename format<F>::bits;
  constexpr bits exponent_mask = static_cast<bits>(2 * format<F>::bias + 1) << format<F>::mantissa;
  return (platform::bit_cast<bits>(x) & exponent_mask) != exponent_mask;
}

/// A finite number; the significand of one that is not zero has its highest bit at format<F>::mantissa.
template <typename F>
inline exact unpack(F x) {
  using bits = typename format<F>::bits;
  constexpr int m = format<F>::mantissa;
  bits b = platform::bit_cast<bits>(x);
  int field = static_cast<int>(b >> m) & (2 * format<F>::bias + 1);
  bits significand = b & ((bits(1) << m) - 1);
  if (field != 0)
    significand |= bits(1) << m;
  exact result{(b >> (sizeof(bits) * 8 - 1)) != 0, (field == 0 ? 1 : field) - format<F>::bias - m,
               significand};
  if (significand != 0) {
    int shift = m - highest_bit(result.significand);
    result.significand <<= shift;
    result.exponent -= shift;
  }
  return result;
}

template <typename F>
inline F pack(bool negative, typename format<F>::bits magnitude) {
  using bits = typename format<F>::bits;
  return platform::bit_cast<F>(
      static_cast<bits>(magnitude | static_cast<bits>(negative) << (sizeof(bits) * 8 - 1)));
}

template <int Mode>
inline bool rounds_away(bool negative) {
  return Mode == 2 ? negative : Mode == 3 ? !negative : false;
}

/// The exact number, not zero, rounded to F.
template <typename F, int Mode>
inline F round(exact x) {
  using bits = typename format<F>::bits;
  constexpr int m = format<F>::mantissa,
                least = 1 - format<F>::bias - m; // exponent of the last bit of subnormals
  int last = x.exponent + highest_bit(x.significand) - m;
  if (last < least)
    last = least;
  int shift = last - x.exponent;
  wide kept = shift <= 0 ? x.significand << -shift : shift < 128 ? x.significand >> shift : 0;
  bool inexact = x.rest || (shift > 0 && (shift >= 128 || kept << shift != x.significand));
  if (inexact && rounds_away<Mode>(x.negative))
    ++kept;
  // A carry out of `kept` moves into the exponent's field, as it should.
  int field = last - least;
  if (field + static_cast<int>(kept >> m) > 2 * format<F>::bias) {
    constexpr bits infinity = static_cast<bits>(2 * format<F>::bias + 1) << m;
    return pack<F>(x.negative, rounds_away<Mode>(x.negative) ? infinity : infinity - 1);
  }
  return pack<F>(x.negative, (static_cast<bits>(field) << m) + static_cast<bits>(kept));
}

/// x + y for significands of at most 106 bits, not both zero.
template <typename F, int Mode>
inline F sum(exact x, exact y) {
  if (x.exponent < y.exponent) {
    exact swap = x;
    x = y;
    y = swap;
  }
  // Shift x left as far as there is room, and y right for the rest of the distance.
  int distance = x.exponent - y.exponent, room = 126 - highest_bit(x.significand | 1);
  int left = distance < room ? distance : room, right = distance - left;
  x.significand <<= left;
  x.exponent -= left;
  wide kept = right < 128 ? y.significand >> right : 0;
  x.rest = right >= 128 ? y.significand != 0 : kept << right != y.significand;
  if (x.negative == y.negative) {
    x.significand += kept;
  } else if (x.significand > kept || (x.significand == kept && !x.rest)) {
    x.significand -= kept;
    if (x.rest)
      --x.significand; // x - kept - rest lies between this and the number above
  } else {
    x.negative = y.negative;
    x.significand = kept - x.significand;
  }
  if (x.significand == 0 && !x.rest)
    return pack<F>(Mode == 2, 0);
  return round<F, Mode>(x);
}

template <int Mode, typename F>
inline F add(F a, F b) {
  if (!is_finite(a) || !is_finite(b))
    return a + b;
  if (a == 0 && b == 0) {
    bool differ = unpack(a).negative != unpack(b).negative;
    return differ ? pack<F>(Mode == 2, 0) : a;
  }
  return sum<F, Mode>(unpack(a), unpack(b));
}

template <int Mode, typename F>
inline F sub(F a, F b) {
  return add<Mode>(a, -b);
}

inline exact product(exact x, exact y) {
  return {x.negative != y.negative, x.exponent + y.exponent, x.significand * y.significand};
}

template <int Mode, typename F>
inline F mul(F a, F b) {
  if (!is_finite(a) || !is_finite(b) || a == 0 || b == 0)
    return a * b;
  return round<F, Mode>(product(unpack(a), unpack(b)));
}

template <int Mode, typename F>
inline F div(F a, F b) {
  if (!is_finite(a) || !is_finite(b) || a == 0 || b == 0)
    return a / b;
  exact x = unpack(a), y = unpack(b);
  wide dividend = x.significand << 64, quotient = dividend / y.significand;
  return round<F, Mode>({x.negative != y.negative, x.exponent - y.exponent - 64, quotient,
                         quotient * y.significand != dividend});
}

template <int Mode, typename F>
inline F fma(F a, F b, F c) {
  if (!is_finite(a) || !is_finite(b) || !is_finite(c))
    return platform::fma(a, b, c);
  if (a == 0 || b == 0)
    return add<Mode>(a * b, c);
  if (c == 0)
    return mul<Mode>(a, b);
  return sum<F, Mode>(product(unpack(a), unpack(b)), unpack(c));
}

template <int Mode, typename F>
inline F sqrt(F a) {
  if (!is_finite(a) || !(a > 0))
    return static_cast<F>(__builtin_sqrt(static_cast<double>(a)));
  exact x = unpack(a);
  // Choose an even exponent, and a significand whose root has over 60 bits.
  int shift = 124 - format<F>::mantissa - 1;
  if (((x.exponent - shift) & 1) != 0)
    ++shift;
  wide radicand = x.significand << shift, root = 0;
  for (int bit = 62; bit >= 0; --bit) {
    wide candidate = root | wide(1) << bit;
    if (candidate * candidate <= radicand)
      root = candidate;
  }
  return round<F, Mode>({false, (x.exponent - shift) / 2, root, root * root != radicand});
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform::rounded

namespace cuda::tiles::inline CUDA_TILE_ABI::platform {

// [2.2.6] [2.4.8] approximations: correctly rounded here

inline float approximate_div(float a, float b) { return div(a, b); }
inline float full_div(float a, float b) { return div(a, b); }
inline float approximate_sqrt(float a) { return __builtin_sqrtf(a); }

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform
