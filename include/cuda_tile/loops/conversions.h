// Strips of integers made of floats, of others, and the other way around, as vectors: compilers would convert
// one element after the other.
#pragma once

#include "cuda_tile/loops/strips.h"

namespace cuda_tile::inline CUDA_TILE_ABI::loops {

/// Integers of 64 bits from others of 32. Compilers for AVX2 would store one after the other, which
/// processors do not forward to a load of several; those for AVX-512 make good code of the plain loop.
template <typename R, tileir::sign Sign, typename A>
CUDA_TILE_API R resize(A const& a) {
  using E = typename R::element_type;
  constexpr unsigned lanes = ct::platform::vector_bytes / sizeof(E), size = R::distribution::size;
  if constexpr (ct::platform::vector_bytes < 64 && sizeof(E) == 8 && 2 * sizeof(a) == sizeof(R) &&
                size % lanes == 0) {
    using I = decltype(tileir::read<Sign>(a.slots[0]));
    typedef I half __attribute__((vector_size(ct::platform::vector_bytes / 2)));
    R result;
    for (unsigned l = 0; l < size; l += lanes)
      ct::platform::store_vector(result.slots + l,
                                 __builtin_convertvector(ct::platform::load_vector<half>(a.slots + l),
                                                         ct::platform::vector<long long>));
    return result;
  } else {
    return tileir::resize<R, Sign>(a);
  }
}

/// The greatest float that is no greater than the greatest integer E.
template <typename E>
constexpr float greatest_float() {
  constexpr int digits = 24, bits = ct::detail::bitwidth_v<E> - (E(-1) < E(0));
  constexpr unsigned long long greatest = (1ull << bits) - 1;
  return static_cast<float>(bits > digits ? greatest & ~((1ull << (bits - digits)) - 1) : greatest);
}

/// Floats as integers of up to 32 bits, truncated and clamped; NaN becomes zero. Compilers would convert them
/// one after the other.
template <typename I, typename V>
CUDA_TILE_API auto to_integers(V x) {
  using lane = ct::detail::conditional_t<(ct::detail::bitwidth_v<I> == 32), I, int>;
  using lanes = ct::platform::vector<lane, sizeof(V)>;
  constexpr float high = loops::greatest_float<I>();
  constexpr float low = I(-1) < I(0) ? -static_cast<float>(1ull << (ct::detail::bitwidth_v<I> - 1)) : 0;
  auto const is_number = x == x, is_beyond = x > high;
  x = x < high ? x : V{} + high; // in this order minima and maxima of processors do it
  x = x > low ? x : V{} + low;
  lanes numbers = __builtin_convertvector(x, lanes);
  if constexpr (ct::detail::bitwidth_v<I> == 32) // the greatest one is no float
    numbers = is_beyond ? lanes{} + static_cast<lane>(static_cast<unsigned>(-1) >> (I(-1) < I(0))) : numbers;
  return numbers & (lanes)is_number;
}
/// The same of strips and tiles.
template <typename R, tileir::sign Sign, typename A>
CUDA_TILE_API R to_integer(A const& a) {
  using E = typename R::element_type;
  constexpr unsigned size = R::distribution::size, width = ct::platform::vector_bytes / sizeof(float);
  constexpr unsigned lanes = size < width ? size : width;
  if constexpr (ct::detail::is_same_v<typename A::element_type, float> && sizeof(E) <= 4 &&
                ct::detail::bitwidth_v<E> == 8 * sizeof(E) && size % lanes == 0 && lanes >= 4) {
    using V = ct::platform::vector<float, lanes * sizeof(float)>;
    using I = decltype(tileir::read<Sign>(E()));
    R result;
    if constexpr (sizeof(E) == 4 || (sizeof(E) == 2 && size < 32)) { // compilers narrow more at once
      using narrow = ct::platform::vector<E, lanes * sizeof(E)>;
      for (unsigned l = 0; l < size; l += lanes) {
        auto const numbers = loops::to_integers<I>(ct::platform::load_vector<V>(a.slots + l));
        ct::platform::store_vector(result.slots + l, __builtin_convertvector(numbers, narrow));
      }
    } else {
      constexpr unsigned part = size < 64 ? size : 64;
      for (unsigned from = 0; from < size; from += part) {
        int numbers[part];
        for (unsigned l = 0; l < part; l += lanes)
          ct::platform::store_vector(numbers + l,
                                     loops::to_integers<I>(ct::platform::load_vector<V>(a.slots + from + l)));
        for (unsigned l = 0; l < part; ++l)
          result.slots[from + l] = static_cast<E>(numbers[l]);
      }
    }
    return result;
  } else {
    return tileir::to_integer<R, Sign>(a);
  }
}

/// Integers of up to 32 bits as floats, likewise in short strips.
template <typename R, tileir::sign Sign, typename A>
CUDA_TILE_API R to_float(A const& a) {
  using E = typename A::element_type;
  constexpr unsigned size = R::distribution::size, width = ct::platform::vector_bytes / sizeof(float);
  constexpr unsigned lanes = size < width ? size : width;
  if constexpr (ct::detail::is_same_v<typename R::element_type, float> && sizeof(E) <= 4 && size < 32 &&
                ct::detail::bitwidth_v<E> == 8 * sizeof(E) && size % lanes == 0 && lanes >= 4) {
    using I = decltype(tileir::read<Sign>(E()));
    using narrow = ct::platform::vector<I, lanes * sizeof(I)>;
    using wide = ct::platform::vector<ct::detail::conditional_t<sizeof(I) == 4, I, int>, lanes * 4>;
    R result;
    for (unsigned l = 0; l < size; l += lanes) {
      auto const numbers = __builtin_convertvector(ct::platform::load_vector<narrow>(a.slots + l), wide);
      using V = ct::platform::vector<float, lanes * sizeof(float)>;
      ct::platform::store_vector(result.slots + l, __builtin_convertvector(numbers, V));
    }
    return result;
  } else {
    return tileir::to_float<R, Sign>(a);
  }
}

} // namespace cuda_tile::inline CUDA_TILE_ABI::loops
