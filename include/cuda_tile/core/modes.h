// [1.9] Functions of elements in a rounding mode, a subnormals mode or a NaN mode: function objects.
#pragma once

#include "cuda_tile/core/constants.h"
#include "cuda_tile/core/elements.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::elements {

/// [1.9.2] Zero of the same sign for subnormal floats, where the mode asks for it.
template <subnormals_rounding_mode SubMode, typename E>
CUDA_TILE_API E subround(E x) {
  if constexpr (SubMode == subnormals_rounding_mode::round_subnormals_to_zero) {
    unsigned b = platform::bit_cast<unsigned>(x);
    return (b & 0x7f800000u) == 0 ? platform::bit_cast<E>(b & 0x80000000u) : x;
  } else {
    return x;
  }
}

/// `x`, a float or double, rounded to a narrower type in the direction of Mode.
template <rounding_mode Mode, typename E, typename C>
CUDA_TILE_API E narrow(C x) {
  constexpr unsigned unit = is_same_v<E, __nv_tf32> ? 1u << 13 : 1; // of the last place
  E nearest = detail::convert<E>(x);
  C back = detail::convert<C>(nearest);
  bool negative = (platform::bit_cast<bits_t<C>>(x) >> (8 * sizeof(C) - 1)) != 0;
  bool too_great = back > x, too_small = back < x;
  bool step_toward_zero = negative ? too_small : too_great;
  bool step_away = false;
  if constexpr (Mode == rounding_mode::round_toward_negative) {
    step_toward_zero = too_great && !negative;
    step_away = too_great && negative;
  } else if constexpr (Mode == rounding_mode::round_toward_positive) {
    step_toward_zero = too_small && negative;
    step_away = too_small && !negative;
  }
  auto b = platform::bit_cast<bits_t<E>>(nearest);
  // Neighbours of one sign are neighbours as integers; infinity's is the greatest number.
  if (step_toward_zero)
    b = static_cast<decltype(b)>(b - unit);
  if (step_away)
    b = static_cast<decltype(b)>(b + unit);
  return platform::bit_cast<E>(b);
}

template <rounding_mode Mode>
inline constexpr bool is_precise =
    Mode == rounding_mode::round_ties_to_even || Mode == rounding_mode::round_toward_zero ||
    Mode == rounding_mode::round_toward_negative || Mode == rounding_mode::round_toward_positive;

/// A function object in a directed rounding mode, on float or double.
template <typename Function>
struct directed;
#define CUDA_TILE_DIRECTED(name, parameters, arguments)                                                      \
  template <>                                                                                                \
  struct directed<name> {                                                                                    \
    template <rounding_mode Mode, typename C>                                                                \
    CUDA_TILE_API static C apply parameters {                                                                \
      return platform::rounded::name<static_cast<int>(Mode)> arguments;                                      \
    }                                                                                                        \
  };
CUDA_TILE_DIRECTED(add, (C a, C b), (a, b))
CUDA_TILE_DIRECTED(sub, (C a, C b), (a, b))
CUDA_TILE_DIRECTED(mul, (C a, C b), (a, b))
CUDA_TILE_DIRECTED(div, (C a, C b), (a, b))
CUDA_TILE_DIRECTED(fma, (C a, C b, C c), (a, b, c))
CUDA_TILE_DIRECTED(sqrt, (C a), (a))
#undef CUDA_TILE_DIRECTED

// [2.2.6] [2.4.8] the imprecise modes, which take floats

template <rounding_mode Mode>
CUDA_TILE_API float imprecise(div, float a, float b) {
  return Mode == rounding_mode::round_full ? platform::full_div(a, b) : platform::approximate_div(a, b);
}
template <rounding_mode Mode>
CUDA_TILE_API float imprecise(sqrt, float a) {
  return platform::approximate_sqrt(a);
}

/// Function in a rounding mode and a subnormals mode.
template <typename Function, rounding_mode Mode, subnormals_rounding_mode SubMode>
struct rounded {
  template <typename E, typename... Rest>
  CUDA_TILE_API E operator()(E a, Rest... rest) const {
    return elements::subround<SubMode>(
        apply(elements::subround<SubMode>(a), elements::subround<SubMode>(rest)...));
  }

private:
  template <typename E, typename... Rest>
  CUDA_TILE_API static E apply(E a, Rest... rest) {
    using C = compute_t<E>;
    if constexpr (Mode == rounding_mode::round_ties_to_even) {
      return Function{}(a, rest...);
    } else if constexpr (!is_precise<Mode>) {
      return imprecise<Mode>(Function{}, a, rest...);
    } else {
      C result =
          directed<Function>::template apply<Mode, C>(detail::convert<C>(a), detail::convert<C>(rest)...);
      if constexpr (is_small_float<E>)
        return narrow<Mode, E>(result);
      else
        return result;
    }
  }
};

/// [1.9.3] Maximum or minimum in a NaN mode and a subnormals mode.
template <typename Function, nan_propagation_mode NanMode, subnormals_rounding_mode SubMode>
struct propagating {
  template <typename E>
  CUDA_TILE_API E operator()(E a, E b) const {
    if constexpr (NanMode == nan_propagation_mode::propagate_nan) {
      using C = compute_t<E>;
      C x = detail::convert<C>(a), y = detail::convert<C>(b);
      if (x != x)
        return a;
      if (y != y)
        return b;
    }
    return elements::subround<SubMode>(Function{}(a, b));
  }
};

/// Any function of one argument with flushed subnormals [2.4.4] [2.4.9].
template <typename Function, subnormals_rounding_mode SubMode>
struct flushing {
  template <typename E>
  CUDA_TILE_API E operator()(E a) const {
    return elements::subround<SubMode>(Function{}(elements::subround<SubMode>(a)));
  }
};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::elements
