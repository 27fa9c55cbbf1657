// Maps of so few elements that compilers unroll their loops before they look for vectors, and then compute
// one element after the other: functions that vectors have, too, are applied to whole ones.
#pragma once

#include "cuda_tile/one_thread/halves.h"
#include "cuda_tile/one_thread/vectors.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// Whether compilers unroll loops over N elements first, or find no whole vectors of the narrowest of them.
template <unsigned N, typename... Es>
inline constexpr bool is_short = N <= 16 || ((N * sizeof(Es) < platform::vector_bytes) || ...);

/// Lanes of an operand, from element `first` on; a single element is that of each of them.
template <typename F, unsigned Lanes, typename T>
CUDA_TILE_API auto vector_of_operand(T const& x, unsigned first) {
  using E = tile_element_t<T>;
  using V = lanes_vector<F, E, Lanes>;
  if constexpr (scalar<T> || tile_size_v<T> == 1) {
    using bits = platform::bits_of_element<E>;
    return (V)(platform::bit_cast<bits>(E(detail::operand_value(x, 0))) -
               platform::vector<bits, Lanes * sizeof(bits)>{});
  } else {
    return platform::load_vector<V>(x.slots + first);
  }
}

/// How many of N elements are computed at a time: no operand's vector is longer than those of processors.
template <unsigned N, typename... Es>
CUDA_TILE_CONSTEXPR unsigned lanes_of_map() {
  unsigned lanes = N;
  ((lanes = platform::lanes_of_most<Es, N> < lanes ? platform::lanes_of_most<Es, N> : lanes), ...);
  return lanes;
}

/// Whether a map of N elements is made of vectors. Bools are made by compilers as fast.
template <unsigned N, typename F, typename E, typename... Es>
inline constexpr bool prefers_vectors = is_short<N, conditional_t<is_same_v<E, bool>, long long, E>, Es...>;
/// Elements are chosen by branches else; but bits do not say whether a float is zero.
template <unsigned N, typename F, typename E, typename Condition, typename... Es>
  requires(on_vectors<F>::chooses)
inline constexpr bool prefers_vectors<N, F, E, Condition, Es...> = !is_floating_point_v<Condition>;

template <typename R, typename F, typename... Operands>
concept maps_vectors =
    !checks::enabled &&
    prefers_vectors<R::distribution::slots, F, tile_element_t<R>, tile_element_t<Operands>...> &&
    ((sizeof(tile_element_t<Operands>) * R::distribution::slots >= 16) || ...) && requires {
      typename lane_for<F, tile_element_t<R>>::type;
      on_vectors<F>::of(lanes_vector<F, tile_element_t<Operands>,
                                     detail::lanes_of_map<R::distribution::slots, tile_element_t<R>,
                                                          tile_element_t<Operands>...>()>{}...);
    };

/// Lanes as elements E hold them: of a bool, which computes modulo two, the lowest bit.
template <typename E, typename V>
CUDA_TILE_API V as_elements(V x) {
  if constexpr (is_same_v<E, bool>)
    return x & 1;
  else
    return x;
}

template <typename R, typename F, typename... Operands>
CUDA_TILE_API R map_vectors(Operands const&... operands) {
  using E = tile_element_t<R>;
  constexpr unsigned slots = R::distribution::slots;
  constexpr unsigned lanes = detail::lanes_of_map<slots, E, tile_element_t<Operands>...>();
  constexpr unsigned whole = platform::lanes_of_most<E, slots>;
  using V = lanes_vector<F, E, lanes>;
  auto const make = [&](unsigned first) {
    return detail::as_elements<E>(
        detail::convert_lanes<V>(on_vectors<F>::of(detail::vector_of_operand<F, lanes>(operands, first)...)));
  };
  R result;
  for (unsigned s = 0; s < slots; s += whole)
    platform::store_vector(result.slots + s,
                           detail::join_lanes<typename lane_for<F, E>::type, lanes, whole>(make, s));
  return result;
}

/// Whether F combines so few elements of one type in vectors.
template <typename F, typename E, unsigned N>
concept combines_few =
    is_short<N, E> && N * sizeof(E) >= 16 && requires(lanes_vector<F, E, platform::lanes_of_most<E, N>> x) {
      { on_vectors<F>::of(x, x) } -> detail::same_as<decltype(x)>;
    };

/// to = f(to, x) for each of N elements.
template <unsigned N, typename E, typename F>
CUDA_TILE_API void combine_elements([[maybe_unused]] F f, E* to, E const* x) {
  if constexpr (is_same_v<E, __half> && in_float<F>::exists && converts_halves<E, float, N>()) {
    float sums[N], others[N];
    for (unsigned i = 0; i < N; i += platform::halves_at_once) {
      platform::floats_of_halves<false>(sums + i, to + i);
      platform::floats_of_halves<false>(others + i, x + i);
    }
    for (unsigned l = 0; l < N; ++l)
      sums[l] = typename in_float<F>::type{}(sums[l], others[l]);
    detail::convert_elements<N>(to, sums);
  } else if constexpr (combines_few<F, E, N>) {
    constexpr unsigned lanes = platform::lanes_of_most<E, N>;
    using V = lanes_vector<F, E, lanes>;
    for (unsigned l = 0; l < N; l += lanes)
      platform::store_vector(to + l, detail::as_elements<E>(on_vectors<F>::of(
                                         platform::load_vector<V>(to + l), platform::load_vector<V>(x + l))));
  } else {
    for (unsigned l = 0; l < N; ++l)
      to[l] = f(to[l], x[l]);
  }
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
