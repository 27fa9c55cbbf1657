// Reduction of angles on the host: x = quadrant * pi/2 + r with |r| <= pi/4, r to more digits than a
// double's.
#pragma once

#include "cuda_tile/platform/host_math_real.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::platform::host_math {

/// From here on, angles are reduced in another way, which cannot be vectorised; NaN is, too.
template <typename T>
inline constexpr T large_angle = 0x1p20;
template <typename T>
CUDA_TILE_HOST_MATH bool is_large_angle(T x) {
  return !(abs(x) < large_angle<T>);
}

struct angle {
  bits_of<double> quadrant; // as in `integer`
  pair<double> r;
};

/// For |x| < 2^20, after Cody and Waite: pi/2 is split into parts of 33 bits, whose multiples are exact, and
/// a last one.
CUDA_TILE_HOST_MATH angle reduce_angle(double x) {
  integer<double> n = nearest_integer(x, 0x1.45f306dc9c883p-1);
  double first = multiply_add(-n.value, 0x1.921fb544p0, x); // exact
  pair<double> second = exact_sum(first, -n.value * 0x1.0b4611a6p-34);
  pair<double> third = exact_sum(second.high, -n.value * 0x1.3198a2ep-69);
  double rest = second.low + multiply_add(-n.value, 0x1.b839a252049c1p-104, third.low);
  return {n.bits, exact_sum(third.high, rest)};
}

using uint64 = unsigned long long;
__extension__ typedef unsigned __int128 uint128;

/// x / (pi/2) modulo 4: the quadrant and, in units of 2^-190, the rest, from -1/2 to 1/2.
struct turns {
  unsigned quadrant;
  bool is_negative;
  uint64 rest[3]; // the highest word first
};

/// 2/pi in words of 64 bits after the point.
// clang-format off
inline constexpr uint64 two_over_pi[20] = {
    0,  // before the point, for angles not much larger than 2^20
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};
// clang-format on

/// For x = m 2^e, after Payne and Hanek: only those bits of 2/pi count whose multiples are neither whole
/// turns nor tiny.
inline turns remainder_of_turns(uint64 m, int e) {
  unsigned first = static_cast<unsigned>(e + 62), word = first / 64, shift = first % 64;
  uint64 product[3];
  uint128 sum = 0;
  for (unsigned i = 3; i-- > 0;) {
    uint128 two_words = static_cast<uint128>(two_over_pi[word + i]) << 64 | two_over_pi[word + i + 1];
    sum = static_cast<uint128>(m) * static_cast<uint64>(two_words >> (64 - shift)) + (sum >> 64);
    product[i] = static_cast<uint64>(sum);
  }
  unsigned quadrant = static_cast<unsigned>((product[0] + (1ULL << 61)) >> 62);
  product[0] -= static_cast<uint64>(quadrant) << 62;
  bool is_negative = product[0] >> 63;
  if (is_negative)
    for (uint64& digit : product)
      digit = ~digit;
  return {quadrant, is_negative, {product[0], product[1], product[2]}};
}

inline pair<double> rest_in_radians(turns const& t) {
  // The highest 128 bits that are not zeros, as a multiple of 2^exponent.
  int exponent = -126;
  uint64 third = t.rest[2];
  uint128 rest = static_cast<uint128>(t.rest[0]) << 64 | t.rest[1];
  if (!(rest >> 64)) {
    rest = rest << 64 | third;
    third = 0;
    exponent -= 64;
  }
  int zeros = __builtin_clzll(static_cast<uint64>(rest >> 64));
  rest = rest << zeros | third >> 1 >> (63 - zeros);
  exponent -= zeros;
  double unit = power_of_two<double>(static_cast<bits_of<double>>(exponent + 75));
  double high = static_cast<double>(static_cast<uint64>(rest >> 75)) * unit;
  double low = static_cast<double>(static_cast<uint64>(rest >> 22) & ((1ULL << 53) - 1)) * (unit * 0x1p-53);
  pair<double> r = product<double>({high, low}, {0x1.921fb54442d18p0, 0x1.1a62633145c07p-54}); // pi/2
  return exact_sum(r.high, r.low);
}

/// For any |x| >= 2^20; infinity has no angle.
inline angle reduce_large_angle(double x) {
  if (!(abs(x) <= real<double>::largest))
    return {0, {real<double>::nan, real<double>::nan}};
  bits_of<double> b = to_bits(x);
  turns t =
      remainder_of_turns((b & ((1ULL << 52) - 1)) | 1ULL << 52, static_cast<int>(b >> 52 & 0x7ff) - 1075);
  pair<double> r = rest_in_radians(t);
  bits_of<double> sign = (b >> 63 ^ t.is_negative) << 63;
  return {b >> 63 ? 0 - t.quadrant : t.quadrant, {flip_sign(r.high, sign), flip_sign(r.low, sign)}};
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform::host_math
