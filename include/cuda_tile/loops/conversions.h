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

/// Whether integers E are converted from or to floats F in vectors.
template <typename E, typename F>
inline constexpr bool converts_vectors =
    (ct::detail::is_same_v<F, float> || ct::detail::is_same_v<F, double>) && ct::integral<E> &&
    sizeof(E) <= 4 && ct::detail::bitwidth_v<E> == 8 * sizeof(E);
/// Whether they are so as floats.
template <typename F>
inline constexpr bool is_half_or_bfloat16 =
    ct::detail::is_same_v<F, __half> || ct::detail::is_same_v<F, __nv_bfloat16>;

/// The greatest number F that is no greater than the greatest integer E.
template <typename E, typename F>
constexpr F greatest_float() {
  constexpr int digits = sizeof(F) == 4 ? 24 : 53, bits = ct::detail::bitwidth_v<E> - (E(-1) < E(0));
  constexpr unsigned long long greatest = (1ull << bits) - 1;
  return static_cast<F>(bits > digits ? greatest & ~((1ull << (bits - digits)) - 1) : greatest);
}

/// Floats F as integers of up to 32 bits, truncated and clamped; NaN becomes zero. Compilers would convert
/// them one after the other.
template <typename I, typename F, unsigned Lanes>
CUDA_TILE_API auto to_integers(ct::platform::vector<F, Lanes * sizeof(F)> x) {
  using V = decltype(x);
  using lane = ct::detail::conditional_t<(ct::detail::bitwidth_v<I> == 32), I, int>;
  using lanes = ct::platform::vector<lane, Lanes * sizeof(lane)>;
  constexpr bool is_exact = ct::detail::bitwidth_v<I> < 32 || sizeof(F) == 8; // the greatest one is a float
  constexpr F high = loops::greatest_float<I, F>();
  constexpr F low = I(-1) < I(0) ? -static_cast<F>(1ull << (ct::detail::bitwidth_v<I> - 1)) : 0;
  auto const is_number = __builtin_convertvector(x == x, lanes);
  auto const is_beyond = x > high;
  x = x < high ? x : V{} + high; // in this order minima and maxima of processors do it
  x = x > low ? x : V{} + low;
  lanes numbers = __builtin_convertvector(x, lanes);
  if constexpr (!is_exact)
    numbers = is_beyond ? lanes{} + static_cast<lane>(static_cast<unsigned>(-1) >> (I(-1) < I(0))) : numbers;
  return numbers & is_number;
}
/// The same of strips and tiles.
template <typename R, tileir::sign Sign, typename A>
CUDA_TILE_API R to_integer(A const& a) {
  using E = typename R::element_type;
  using F = typename A::element_type;
  constexpr unsigned size = R::distribution::size;
  if constexpr (is_half_or_bfloat16<F>) {
    return loops::to_integer<R, Sign>(ct::element_cast<float>(a));
  } else if constexpr (converts_vectors<E, F> && size * sizeof(F) >= 16) {
    using V = ct::platform::vector_of_most<F, size>;
    using I = decltype(tileir::read<Sign>(E()));
    constexpr unsigned lanes = sizeof(V) / sizeof(F);
    using narrow = ct::platform::vector<E, lanes * sizeof(E)>;
    R result;
    if constexpr (sizeof(E) == 4 || ct::detail::is_short<size, E>) {
      constexpr unsigned whole = ct::platform::lanes_of_most<E, size>;
      auto const make = [&](unsigned l) {
        auto const x = ct::platform::load_vector<V>(a.slots + l);
        return ct::detail::convert_lanes<narrow>(loops::to_integers<I, F, lanes>(x));
      };
      for (unsigned l = 0; l < size; l += whole)
        ct::platform::store_vector(result.slots + l, ct::detail::join_lanes<E, lanes, whole>(make, l));
    } else { // compilers narrow several vectors at once
      constexpr unsigned part = size < 64 ? size : 64;
      for (unsigned from = 0; from < size; from += part) {
        int numbers[part];
        for (unsigned l = 0; l < part; l += lanes) {
          auto const x = ct::platform::load_vector<V>(a.slots + from + l);
          ct::platform::store_vector(numbers + l, loops::to_integers<I, F, lanes>(x));
        }
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
  using F = typename R::element_type;
  constexpr unsigned size = R::distribution::size;
  if constexpr (is_half_or_bfloat16<F> && ct::integral<E> &&
                sizeof(E) <= (ct::detail::is_same_v<F, __half> ? 4 : 2)) { // floats are exact, or beyond F
    using floats = ct::tile<float, ct::tile_shape_t<R>>;
    return ct::element_cast<F>(loops::to_float<floats, Sign>(a));
  } else if constexpr (converts_vectors<E, F> && ct::detail::is_short<size, E> && size * sizeof(F) >= 16) {
    using V = ct::platform::vector_of_most<F, size>;
    using I = decltype(tileir::read<Sign>(E()));
    constexpr unsigned lanes = sizeof(V) / sizeof(F);
    using narrow = ct::platform::vector<I, lanes * sizeof(I)>;
    R result;
    for (unsigned l = 0; l < size; l += lanes) {
      auto const numbers = ct::platform::load_vector<narrow>(a.slots + l);
      ct::platform::store_vector(result.slots + l, ct::detail::convert_lanes<V>(numbers));
    }
    return result;
  } else {
    return tileir::to_float<R, Sign>(a);
  }
}

} // namespace cuda_tile::inline CUDA_TILE_ABI::loops
