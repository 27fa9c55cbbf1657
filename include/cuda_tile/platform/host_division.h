// Vectors of float divided by one number on hosts: with AVX-512, an instruction that divides takes as long as
// thirty that multiply and add.
#pragma once

#include "cuda_tile/platform/host_vectors.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::platform {

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__FMA__)

inline constexpr bool has_division_by_one = true;

/// Whether by these factors no quotient, and no remainder of one, overflows or is subnormal.
inline bool is_moderate_divisor(float x) { return x >= 0x1p-40f && x <= 0x1p40f; }
template <unsigned Count>
inline bool are_moderate_dividends(vector<float> const (&x)[Count]) {
  constexpr unsigned least = (127u - 60) << 24, greatest = (127u + 60) << 24;
  constexpr int less = 1, greater = 6;
  using V = vector<int>;
  vector<unsigned> largest{}, smallest = ~largest;
  for (vector<float> const& each : x) {
    auto const magnitudes = (vector<unsigned>)each << 1, but_zero = magnitudes - 1; // zero is the greatest
    smallest = but_zero < smallest ? but_zero : smallest;
    largest = magnitudes > largest ? magnitudes : largest;
  }
  auto const small =
      __builtin_ia32_ucmpd512_mask((V)smallest, (V)(vector<unsigned>{} + (least - 1)), less, 0xffff);
  auto const large =
      __builtin_ia32_ucmpd512_mask((V)largest, (V)(vector<unsigned>{} + greatest), greater, 0xffff);
  return (small | large) == 0;
}

/// x / divisor, rounded like a single quotient, by inverse = 1 / divisor, for moderate factors: a quotient of
/// products is off by less than two units in the last place, and each correction by the remainder, which is
/// exact, leaves less of that. The second one rounds correctly (Markstein, Computation of elementary
/// functions on the IBM RISC System/6000 processor, 1990). Remainders are subtracted so that -0 stays -0.
inline vector<float> divide_by_one(vector<float> x, vector<float> divisor, vector<float> inverse) {
  vector<float> quotient = x * inverse;
  quotient = platform::multiply_add_vectors(-platform::multiply_add_vectors(quotient, divisor, -x), inverse,
                                            quotient);
  return platform::multiply_add_vectors(-platform::multiply_add_vectors(quotient, divisor, -x), inverse,
                                        quotient);
}

#else

inline constexpr bool has_division_by_one = false;
bool is_moderate_divisor(float x);
template <unsigned Count>
bool are_moderate_dividends(vector<float> const (&x)[Count]);
vector<float> divide_by_one(vector<float> x, vector<float> divisor, vector<float> inverse);

#endif

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform
