// Assumptions [2.15] in checked builds. Empty in other builds.
#pragma once

#include "cuda_tile/checked/values.h"
#include "cuda_tile/core/integral_constant.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::checks {

#if CUDA_TILE_CHECKED

/// Checks an assumption: `holds(s)` says whether it is true of slot s. Reports show the assumption's
/// constants after the element.
template <typename T, typename Holds, typename... Constants>
CUDA_TILE_API void require_assumed(char const* function, T const& a, Holds holds, Constants... constants) {
  checks::require_some_defined(function, a);
  using S = tile_shape_t<T>;
  for (unsigned s = 0; s < detail::distribution_of<S>::slots; ++s)
    if (!checks::is_undefined(a, s) && !holds(s))
      checks::report<S>(cuda_tile_assumption, function, position<S>(s), detail::operand_value(a, s),
                        constants...);
}

/// For the element at position i, gives the element at place(i), from whichever thread holds it.
template <typename T, typename Place>
CUDA_TILE_API T taken_from(T const& a, Place place) {
  if constexpr (scalar<T>)
    return a;
  else
    return detail::taken(a, place);
}

/// A pointer's address, an integer's value modulo 2^64.
template <typename T>
CUDA_TILE_API unsigned long long number_of(T x) {
  if constexpr (detail::is_pointer_v<T>)
    return reinterpret_cast<unsigned long long>(x);
  else
    return static_cast<unsigned long long>(x);
}

/// Position of the first element of the block of shape Blocks that contains element `position` of shape S.
template <typename Blocks, typename S, size_t D = 0>
CUDA_TILE_API unsigned block_start(unsigned position) {
  if constexpr (D == static_cast<size_t>(S::rank())) {
    return 0;
  } else {
    constexpr unsigned step = static_cast<unsigned>(detail::length_product<S>(D + 1, S::rank()));
    constexpr unsigned length = static_cast<unsigned>(detail::length<Blocks>(D));
    return position / step / length * length * step + block_start<Blocks, S, D + 1>(position % step);
  }
}
template <typename Blocks, typename T>
CUDA_TILE_API void assume_blocked(T const& a) {
  using S = tile_shape_t<T>;
  T const first = checks::taken_from(a, [](unsigned i) { return block_start<Blocks, S>(i); });
  checks::require_assumed("assume_blocked", a, [&](unsigned s) {
    return checks::is_undefined(a, checks::block_start<Blocks, S>(position<S>(s))) ||
           detail::operand_value(a, s) == detail::operand_value(first, s);
  });
}

template <auto LB, auto UB, typename T>
CUDA_TILE_API void assume_bounded(char const* function, T const& a) {
  using E = tile_element_t<T>;
  auto holds = [&](unsigned s) {
    E const x = detail::operand_value(a, s);
    return static_cast<E>(LB) <= x && x <= static_cast<E>(UB);
  };
  checks::require_assumed(function, a, holds, LB, UB);
}

template <auto Div, typename T>
CUDA_TILE_API void assume_multiple(char const* function, T const& a) {
  auto holds = [&](unsigned s) { return checks::number_of(detail::operand_value(a, s)) % Div == 0; };
  checks::require_assumed(function, a, holds, Div);
}

/// Runs of Stride elements along D that begin at a multiple of Div and increase by `step`.
template <auto Div, auto Stride, auto D, typename T>
CUDA_TILE_API void assume_runs(char const* function, T const& a, unsigned long long step) {
  using S = tile_shape_t<T>;
  constexpr unsigned inner = static_cast<unsigned>(detail::length_product<S>(D + 1, S::rank()));
  constexpr unsigned long long stride = Stride;
  auto place_of = [](unsigned i) { return static_cast<unsigned>(i / inner % detail::length<S>(D) % stride); };
  T const firsts = checks::taken_from(a, [&](unsigned i) { return i - place_of(i) * inner; });
  auto holds = [&](unsigned s) {
    unsigned const place = place_of(position<S>(s));
    auto const first = detail::operand_value(firsts, s), x = detail::operand_value(a, s);
    return checks::number_of(first) % Div == 0 && !(x < first) &&
           checks::number_of(x) - checks::number_of(first) == place * step;
  };
  checks::require_assumed(function, a, holds, Div, Stride, D);
}

#else

template <typename Blocks, typename T>
CUDA_TILE_API void assume_blocked(T const&) {}
template <auto LB, auto UB, typename T>
CUDA_TILE_API void assume_bounded(char const*, T const&) {}
template <auto Div, typename T>
CUDA_TILE_API void assume_multiple(char const*, T const&) {}
template <auto Div, auto Stride, auto D, typename T>
CUDA_TILE_API void assume_runs(char const*, T const&, unsigned long long) {}

#endif

} // namespace cuda::tiles::inline CUDA_TILE_ABI::checks
