// Tiles of floats with one thread a block: whole vectors of half are converted from and to float by the
// processor's instructions, which compilers do not find by themselves, vectors of float to bfloat16 as well,
// floats of 8 bits by their bits, and double to float as vectors, since single elements hide what they are.
#pragma once

#include "cuda_tile/one_thread/vectors.h"
#include "cuda_tile/platform/host_halves.h"
#include "cuda_tile/tile/tile.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// Not zero, by which compilers must not divide even where it is not used.
inline constexpr unsigned halves_or_one = platform::halves_at_once == 0 ? 1 : platform::halves_at_once;

/// Whether N elements are converted from or to half in whole vectors.
template <typename To, typename From, unsigned N>
CUDA_TILE_CONSTEXPR bool converts_halves() {
  return platform::halves_at_once != 0 && N % halves_or_one == 0 &&
         is_same_v<To, __half> != is_same_v<From, __half>;
}

/// Whether N floats become bfloat16 in whole vectors.
template <typename To, typename From, unsigned N>
CUDA_TILE_CONSTEXPR bool rounds_to_bfloat16() {
  constexpr unsigned at_once = platform::bfloat16s_at_once;
  return at_once != 0 && N % (at_once == 0 ? 1 : at_once) == 0 && is_same_v<To, __nv_bfloat16> &&
         is_same_v<From, float>;
}

/// Whether N small floats of 8 bits become floats in whole vectors.
template <typename To, typename From, unsigned N>
CUDA_TILE_CONSTEXPR bool widens_bytes() {
  constexpr unsigned at_once = platform::vector_bytes / 4;
  return sizeof(From) == 1 && N % at_once == 0 && is_same_v<To, float> && is_below_float<From>;
}

/// Doubles that become floats at once: vectors of two are those that g++ drops.
inline constexpr unsigned doubles_at_once = platform::vector_bytes < 32 ? 4 : platform::vector_bytes / 8;

/// Whether N doubles become floats in whole vectors.
template <typename To, typename From, unsigned N>
CUDA_TILE_CONSTEXPR bool rounds_to_float() {
  return is_same_v<To, float> && is_same_v<From, double> && N % doubles_at_once == 0;
}

/// N halves as floats, by two vectors of them where that many are left. Where nothing depends on what a NaN
/// is, it need not keep its payload.
template <unsigned N, bool KeepsPayloads = true, typename Half>
CUDA_TILE_API void widen_halves(float* to, Half const* from) {
  constexpr unsigned two = 2 * halves_or_one;
  for (unsigned i = 0; i < N; i += N % two == 0 ? two : halves_or_one)
    if constexpr (N % two == 0)
      platform::floats_of_two<KeepsPayloads>(to + i, from + i);
    else
      platform::floats_of_halves<KeepsPayloads>(to + i, from + i);
}

template <unsigned N, typename To, typename From>
CUDA_TILE_API void convert_elements(To* to, From const* from) {
  constexpr unsigned at_once = halves_or_one, two = 2 * at_once;
  if constexpr (widens_bytes<To, From, N>()) {
    using numbers = platform::vector<float>;
    for (unsigned i = 0; i < N; i += platform::vector_bytes / 4) {
      auto const bits = format_of<From>::template float_bits<numbers>(platform::widen_bytes(from + i));
      platform::store_vector(to + i, (numbers)bits);
    }
  } else if constexpr (rounds_to_bfloat16<To, From, N>()) {
    for (unsigned i = 0; i < N; i += platform::bfloat16s_at_once)
      platform::bfloat16s_of_floats(to + i, from + i);
  } else if constexpr (rounds_to_float<To, From, N>()) {
    using doubles = platform::vector<double, 8 * doubles_at_once>;
    using floats = platform::vector<float, 4 * doubles_at_once>;
    auto const make = [from](unsigned i) {
      return __builtin_convertvector(platform::load_vector<doubles>(from + i), floats);
    };
    constexpr unsigned whole = platform::lanes_of_most<float, N>;
    for (unsigned i = 0; i < N; i += whole)
      platform::store_vector(to + i,
                             platform::hidden(detail::join_lanes<float, doubles_at_once, whole>(make, i)));
  } else if constexpr (!converts_halves<To, From, N>()) {
    for (unsigned i = 0; i < N; ++i)
      to[i] = detail::convert<To>(from[i]);
  } else if constexpr (is_same_v<To, float>) {
    detail::widen_halves<N>(to, from);
  } else if constexpr (is_same_v<From, float>) {
    for (unsigned i = 0; i < N; i += N % two == 0 ? two : at_once)
      if constexpr (N % two == 0)
        platform::halves_of_two(to + i, from + i);
      else
        platform::halves_of_floats(to + i, from + i);
  } else { // through floats, in parts that the caches hold
    constexpr unsigned part = N < 256 ? N : 256;
    float floats[part];
    for (unsigned i = 0; i < N; i += part)
      if constexpr (is_same_v<From, __half>) {
        detail::convert_elements<part>(floats, from + i);
        for (unsigned l = 0; l < part; ++l)
          to[i + l] = detail::convert<To>(floats[l]);
      } else {
        for (unsigned l = 0; l < part; ++l)
          floats[l] = detail::float_before_rounding<__half>(from[i + l]);
        detail::convert_elements<part>(to + i, floats);
      }
  }
}

/// F as a function of floats, from which that of halves differs only by a last rounding.
template <typename F>
struct in_float {
  static constexpr bool exists = __is_base_of(elements::in_compute_type, F);
  using type = F;
};
template <>
struct in_float<elements::fma> {
  static constexpr bool exists = true;
  using type = elements::fma_of_halves;
};
template <typename E, typename F>
struct in_float<on_converted<E, F>> : in_float<F> {};
template <typename F>
struct in_float<
    elements::rounded<F, rounding_mode::round_ties_to_even, subnormals_rounding_mode::preserve_subnormals>>
    : in_float<F> {};

template <typename R, typename F, typename... Operands>
concept maps_halves =
    !checks::enabled && in_float<F>::exists && (is_same_v<tile_element_t<Operands>, __half> && ...) &&
    (is_same_v<tile_element_t<R>, __half> || is_same_v<tile_element_t<R>, bool> ||
     scalar_traits<tile_element_t<R>>::kind == category::structure) &&
    converts_halves<__half, float, R::distribution::slots>();

/// `Count` elements of a tile as floats; a single one is that of each of them.
template <unsigned Count, typename T>
CUDA_TILE_API auto as_floats(T const& x, unsigned first) {
  if constexpr (scalar<T> || tile_size_v<T> == 1) {
    return detail::convert<float>(detail::operand_value(x, 0));
  } else {
    tile<float, shape<Count>> result;
    for (unsigned i = 0; i < Count; i += platform::halves_at_once)
      platform::floats_of_halves<false>(result.slots + i, x.slots + first + i);
    return result;
  }
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
