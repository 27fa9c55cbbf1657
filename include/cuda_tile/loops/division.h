// Strips divided by one number: of integers, which compilers divide by one instruction for each element if
// they do not know it, and of floats.
#pragma once

#include "cuda_tile/loops/strips.h"
#include "cuda_tile/one_thread/division.h"
#include "cuda_tile/tileir/integers.h"

namespace cuda_tile::inline CUDA_TILE_ABI::loops {

template <typename F>
inline constexpr bool rounds_to_zero =
    ct::detail::is_same_v<F, tileir::elements::div> || ct::detail::is_same_v<F, tileir::elements::remainder>;

/// Quotients, or remainders, by a number that is neither 0 nor -1, by way of double. A quotient that is no
/// integer is at least 2^-32 from the next one, relative to 1 / b, and the error of what is computed is below
/// 2^-16; one that is an integer is never too small.
template <bool Remainder, tileir::sign Sign, typename R, typename E>
CUDA_TILE_API void divide_by_double(R& result, R const& a, E b) {
  auto const divisor = tileir::read<Sign>(b);
  double const inverse = (1.0 + 0x1p-50) / static_cast<double>(divisor);
  constexpr unsigned size = R::distribution::size, full = ct::platform::vector_bytes / sizeof(double);
  constexpr unsigned lanes = size % full == 0 ? full : 1;
  constexpr unsigned whole = lanes == 1 ? 1 : ct::platform::lanes_of_most<E, size>;
  using integer = decltype(tileir::read<Sign>(b));
  using integers = ct::platform::vector<integer, lanes * sizeof(E)>;
  using bits = ct::platform::vector<unsigned, whole * sizeof(E)>;
  using doubles = ct::platform::vector<double, lanes * sizeof(double)>;
  auto const quotients = [&](unsigned l) {
    auto const x = ct::platform::load_vector<integers>(a.slots + l);
    return __builtin_convertvector(__builtin_convertvector(x, doubles) * inverse, integers);
  };
  for (unsigned l = 0; l < size; l += whole) {
    auto const quotient = (bits)ct::detail::join_lanes<integer, lanes, whole>(quotients, l);
    auto const x = ct::platform::load_vector<bits>(a.slots + l);
    ct::platform::store_vector(result.slots + l,
                               Remainder ? x - quotient * static_cast<unsigned>(divisor) : quotient);
  }
}

/// f, a division or remainder, of each element and b.
template <typename R, tileir::sign Sign, typename F>
CUDA_TILE_API R with_sign(F f, R const& a, R const& b) {
  return tileir::with_sign<R, Sign>(f, a, b);
}
template <typename R, tileir::sign Sign, typename F, typename E>
CUDA_TILE_API R with_sign(F f, R const& a, E b) {
  R result;
  if constexpr (sizeof(E) == 4 && rounds_to_zero<F>)
    if (!__builtin_constant_p(b) && b != 0 && b != -1) {
      constexpr bool remainder = ct::detail::is_same_v<F, tileir::elements::remainder>;
      loops::divide_by_double<remainder, Sign>(result, a, b);
      return result;
    }
  for (unsigned l = 0; l < R::distribution::size; ++l)
    result.slots[l] = tileir::reading<Sign, F>{f}(a.slots[l], b);
  return result;
}

template <typename R>
CUDA_TILE_API R div(R const& a, R const& b) {
  return ct::div(a, b);
}
template <typename R, typename E>
CUDA_TILE_API R div(R const& a, E b) {
  if constexpr (ct::detail::divides_rows<E, R::distribution::size>) {
    R result;
    ct::detail::divide_row<R::distribution::size>(result.slots, a.slots, b);
    return result;
  } else {
    return ct::div(a, tileir::splat<R>(b));
  }
}

} // namespace cuda_tile::inline CUDA_TILE_ABI::loops
