// When operations on elements are undefined [3.1], for checked builds.
#pragma once

#include "cuda_tile/checked/elements.h"
#include "cuda_tile/core/elements.h"
#include "cuda_tile/tile/access.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::checks {

template <typename E>
inline constexpr bool can_overflow = false;
template <typename E>
  requires detail::is_integral_scalar_v<E>
inline constexpr bool can_overflow<E> = detail::is_signed_v<E>;

#define CUDA_TILE_OVERFLOWS(name)                                                                            \
  template <>                                                                                                \
  struct precondition<elements::name> {                                                                      \
    static constexpr char const* function = #name;                                                           \
    template <typename E>                                                                                    \
    static int violated(E a, E b) {                                                                          \
      if constexpr (can_overflow<E>)                                                                         \
        return platform::name##_overflows(a, b) ? cuda_tile_integer_overflow : -1;                           \
      else                                                                                                   \
        return -1;                                                                                           \
    }                                                                                                        \
  };
CUDA_TILE_OVERFLOWS(add)
CUDA_TILE_OVERFLOWS(sub)
CUDA_TILE_OVERFLOWS(mul)
#undef CUDA_TILE_OVERFLOWS

#define CUDA_TILE_DIVIDES(name)                                                                              \
  template <>                                                                                                \
  struct precondition<elements::name> {                                                                      \
    static constexpr char const* function = #name;                                                           \
    template <typename E>                                                                                    \
    static int violated(E a, E b) {                                                                          \
      if constexpr (!detail::is_integral_scalar_v<E>)                                                        \
        return -1;                                                                                           \
      else if (b == E(0))                                                                                    \
        return cuda_tile_division_by_zero;                                                                   \
      else if (can_overflow<E> && a == detail::least_v<E> && b == static_cast<E>(-1))                        \
        return cuda_tile_integer_overflow;                                                                   \
      return -1;                                                                                             \
    }                                                                                                        \
  };
CUDA_TILE_DIVIDES(div)
CUDA_TILE_DIVIDES(ceildiv)
CUDA_TILE_DIVIDES(floordiv)
CUDA_TILE_DIVIDES(remainder)
#undef CUDA_TILE_DIVIDES

#define CUDA_TILE_NEGATES(name, kind)                                                                        \
  template <>                                                                                                \
  struct precondition<elements::name> {                                                                      \
    static constexpr char const* function = #name;                                                           \
    template <typename E>                                                                                    \
    static int violated(E a) {                                                                               \
      if constexpr (can_overflow<E>)                                                                         \
        return a == detail::least_v<E> ? kind : -1;                                                          \
      else                                                                                                   \
        return -1;                                                                                           \
    }                                                                                                        \
  };
CUDA_TILE_NEGATES(negate, cuda_tile_integer_overflow)
CUDA_TILE_NEGATES(abs, cuda_tile_abs_range)
#undef CUDA_TILE_NEGATES

#define CUDA_TILE_SHIFTS(name)                                                                               \
  template <>                                                                                                \
  struct precondition<elements::name> {                                                                      \
    static constexpr char const* function = #name;                                                           \
    template <typename E, typename N>                                                                        \
    static int violated(E, N n) {                                                                            \
      bool in_range = !(n < N(0)) && static_cast<unsigned long long>(n) < detail::bitwidth_v<E>;             \
      return in_range ? -1 : cuda_tile_shift_range;                                                          \
    }                                                                                                        \
  };
CUDA_TILE_SHIFTS(shift_left)
CUDA_TILE_SHIFTS(shift_right)
#undef CUDA_TILE_SHIFTS

/// Applies to the value in memory and an operand [2.7.12].
template <>
struct precondition<detail::memory_add> {
  static constexpr char const* function = "atomic_add";
  template <typename E>
  static int violated(E k, E v) {
    return precondition<elements::add>::violated(k, v);
  }
};
/// [2.7.13] k + (-v)
template <>
struct precondition<detail::memory_sub> {
  static constexpr char const* function = "atomic_sub";
  template <typename E>
  static int violated(E k, E v) {
    if constexpr (can_overflow<E>)
      if (v == detail::least_v<E>)
        return cuda_tile_integer_overflow;
    return precondition<elements::sub>::violated(k, v);
  }
};

#if CUDA_TILE_CHECKED_FULLY

// Sums and products of signed integers [2.6.1] may not overflow in any order or grouping. So the sum of the
// positive elements alone must not overflow, nor that of the negative ones, nor the product of the nonzero
// ones.

template <>
struct reduction_condition<elements::add> {
  static constexpr char const *reduction = "sum", *scan = "partial_sum";
  template <unsigned N, typename E>
  static int violated(E const* from, unsigned step) {
    if constexpr (can_overflow<E>) {
      __int128 above = 0, below = 0;
      for (unsigned k = 0; k < N; ++k)
        (from[k * step] > 0 ? above : below) += from[k * step];
      return above > detail::greatest_v<E> || below < detail::least_v<E> ? cuda_tile_integer_overflow : -1;
    } else {
      return -1;
    }
  }
};
template <>
struct reduction_condition<elements::mul> {
  static constexpr char const *reduction = "prod", *scan = "partial_prod";
  template <unsigned N, typename E>
  static int violated(E const* from, unsigned step) {
    if constexpr (can_overflow<E>) {
      __int128 magnitude = 1;
      bool positive = true, has_minus_one = false;
      for (unsigned k = 0; k < N; ++k) {
        __int128 x = from[k * step];
        if (x == -1)
          has_minus_one = true;
        else if (x != 0)
          magnitude *= x < 0 ? -x : x;
        if (x < -1)
          positive = !positive;
        if (magnitude > -static_cast<__int128>(detail::least_v<E>))
          return cuda_tile_integer_overflow;
      }
      // The magnitude of the least value: some order reaches it with a positive sign, unless the sign is
      // fixed.
      bool greatest = magnitude == -static_cast<__int128>(detail::least_v<E>);
      return greatest && (positive || has_minus_one) ? cuda_tile_integer_overflow : -1;
    } else {
      return -1;
    }
  }
};

// Logic: false decides `and`, true decides `or`; for bits this holds only for bool, which has one bit.

#define CUDA_TILE_DECIDED(name, value)                                                                       \
  template <>                                                                                                \
  struct decision<elements::name> {                                                                          \
    template <typename E>                                                                                    \
    static bool is_made_by(E x) {                                                                            \
      if constexpr (detail::is_bool_v<E>)                                                                    \
        return x == value;                                                                                   \
      else                                                                                                   \
        return false;                                                                                        \
    }                                                                                                        \
  };
CUDA_TILE_DECIDED(logical_and, false)
CUDA_TILE_DECIDED(logical_or, true)
CUDA_TILE_DECIDED(bit_and, false)
CUDA_TILE_DECIDED(bit_or, true)
#undef CUDA_TILE_DECIDED

/// The decision of F, on operands converted to E.
template <typename E, typename F>
struct decision<detail::on_converted<E, F>> {
  template <typename A>
  static bool is_made_by(A a) {
    return decision<F>::is_made_by(detail::convert<E>(a));
  }
};

#endif

/// The precondition of F, on operands converted to E.
template <typename E, typename F>
struct precondition<detail::on_converted<E, F>> {
  static constexpr char const* function = precondition<F>::function;
  template <typename A, typename B>
  static int violated(A a, B b)
    requires requires(E x) { precondition<F>::violated(x, x); }
  {
    return precondition<F>::violated(detail::convert<E>(a), detail::convert<E>(b));
  }
};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::checks
