// Tiles of half with one thread a block: whole vectors are converted from and to float by the processor's
// instructions, which compilers do not find by themselves.
#pragma once

#include "cuda_tile/core/elements.h"
#include "cuda_tile/platform/host_halves.h"
#include "cuda_tile/tile/tile.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// Whether N elements are converted from or to half in whole vectors.
template <typename To, typename From, unsigned N>
CUDA_TILE_CONSTEXPR bool converts_halves() {
  constexpr unsigned at_once = platform::halves_at_once;
  return at_once != 0 && N % (at_once == 0 ? 1 : at_once) == 0 &&
         is_same_v<To, __half> != is_same_v<From, __half>;
}

template <unsigned N, typename To, typename From>
CUDA_TILE_API void convert_elements(To* to, From const* from) {
  if constexpr (!converts_halves<To, From, N>()) {
    for (unsigned i = 0; i < N; ++i)
      to[i] = detail::convert<To>(from[i]);
  } else {
    constexpr unsigned at_once = platform::halves_at_once;
    constexpr bool by_two = is_same_v<To, float> && N % (2 * at_once) == 0;
    for (unsigned i = 0; i < N; i += by_two ? 2 * at_once : at_once)
      if constexpr (by_two)
        platform::floats_of_two(to + i, from + i);
      else if constexpr (is_same_v<To, float>) {
        platform::floats_of_halves(to + i, from + i);
      } else if constexpr (is_same_v<From, float>) {
        platform::halves_of_floats(to + i, from + i);
      } else {
        float floats[at_once];
        if constexpr (is_same_v<From, __half>)
          platform::floats_of_halves(floats, from + i);
        for (unsigned l = 0; l < at_once; ++l)
          if constexpr (is_same_v<From, __half>)
            to[i + l] = detail::convert<To>(floats[l]);
          else
            floats[l] = detail::float_before_rounding<__half>(from[i + l]);
        if constexpr (is_same_v<To, __half>)
          platform::halves_of_floats(to + i, floats);
      }
  }
}

/// F as a function of floats, from which that of halves differs only by a last rounding.
template <typename F>
CUDA_TILE_API F on_floats(F f) {
  return f;
}
template <typename F>
CUDA_TILE_API F on_floats(on_converted<__half, F> f) {
  return f.f;
}
template <typename F>
inline constexpr bool computes_halves_in_float = __is_base_of(elements::in_compute_type, F);
template <typename E, typename F>
inline constexpr bool computes_halves_in_float<on_converted<E, F>> = computes_halves_in_float<F>;

template <typename R, typename F, typename... Operands>
concept maps_halves =
    !checks::enabled && computes_halves_in_float<F> && (is_same_v<tile_element_t<Operands>, __half> && ...) &&
    (is_same_v<tile_element_t<R>, __half> || is_same_v<tile_element_t<R>, bool>) &&
    converts_halves<__half, float, R::distribution::slots>();

/// `Count` elements of a tile as floats; a single one is that of each of them.
template <unsigned Count, typename T>
CUDA_TILE_API auto as_floats(T const& x, unsigned first) {
  if constexpr (scalar<T>) {
    return detail::convert<float>(x);
  } else {
    tile<float, shape<Count>> result;
    for (unsigned i = 0; i < Count; i += platform::halves_at_once)
      platform::floats_of_halves<false>(result.slots + i, x.slots + first + i);
    return result;
  }
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
