// Element functions that go by their names: those that branch, look at bits, or round in a direction, and
// those of half and bfloat16. Scalar instructions say the others.
#pragma once

#include "cuda_tile/core/elements.h"
#include "cuda_tile/core/modes.h"
#include "cuda_tile/core/recorded.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::elements {

struct exp; // core/math_elements.h
struct exp2;
struct tanh;
struct rsqrt;
struct powi;

} // namespace cuda::tiles::inline CUDA_TILE_ABI::elements

namespace cuda::tiles::inline CUDA_TILE_ABI::detail::back_end {

namespace record = ::cuda_tile::record;
namespace functions = record::functions;

template <typename E>
inline constexpr bool is_integer = is_integral_scalar_v<E> && !is_bool_v<E>;

/// What F is called in names of calls.
template <typename F>
struct name_of;
/// The operation that F is on elements E; void: the instructions that it consists of.
template <typename F, typename E>
struct operation_of {
  using type = void;
};

#define CUDA_TILE_NAMED_WHERE(function, name, ...)                                                           \
  template <>                                                                                                \
  struct name_of<elements::function> {                                                                       \
    using type = functions::name;                                                                            \
  };                                                                                                         \
  template <typename E>                                                                                      \
    requires(__VA_ARGS__)                                                                                    \
  struct operation_of<elements::function, E> {                                                               \
    using type = record::elementwise<functions::name, E>;                                                    \
  };
CUDA_TILE_NAMED_WHERE(add, add, elements::is_small_float<E>)
CUDA_TILE_NAMED_WHERE(sub, sub, elements::is_small_float<E>)
CUDA_TILE_NAMED_WHERE(mul, mul, elements::is_small_float<E>)
CUDA_TILE_NAMED_WHERE(div, div, elements::is_small_float<E> || is_integer<E>)
CUDA_TILE_NAMED_WHERE(remainder, remainder, elements::is_small_float<E> || is_integer<E>)
CUDA_TILE_NAMED_WHERE(floordiv, floordiv, is_integer<E>)
CUDA_TILE_NAMED_WHERE(ceildiv, ceildiv, is_integer<E>)
CUDA_TILE_NAMED_WHERE(mulhi, mulhi, is_integer<E>)
CUDA_TILE_NAMED_WHERE(abs, abs, is_floating_point_v<E>)
CUDA_TILE_NAMED_WHERE(negate, negate, elements::is_small_float<E>)
CUDA_TILE_NAMED_WHERE(max, max, is_floating_point_v<E>)
CUDA_TILE_NAMED_WHERE(min, min, is_floating_point_v<E>)
CUDA_TILE_NAMED_WHERE(fma, fma, elements::is_small_float<E>)
CUDA_TILE_NAMED_WHERE(sqrt, sqrt, elements::is_small_float<E>)
CUDA_TILE_NAMED_WHERE(exp2, exp2, false)
CUDA_TILE_NAMED_WHERE(rsqrt, rsqrt, false)
CUDA_TILE_NAMED_WHERE(bit_and, bit_and, false)
CUDA_TILE_NAMED_WHERE(bit_or, bit_or, false)
CUDA_TILE_NAMED_WHERE(bit_xor, bit_xor, false)
CUDA_TILE_NAMED_WHERE(second, exchange, false)
#undef CUDA_TILE_NAMED_WHERE

/// With modes: of rounding or of NaN, and whether subnormals are flushed.
template <typename F, typename E, auto Mode, auto SubMode>
using operation_in_modes =
    record::elementwise<typename name_of<F>::type, E, static_cast<int>(Mode),
                        SubMode == subnormals_rounding_mode::round_subnormals_to_zero ? 1 : 0>;
template <typename F, rounding_mode Mode, subnormals_rounding_mode SubMode, typename E>
struct operation_of<elements::rounded<F, Mode, SubMode>, E> {
  using type = operation_in_modes<F, E, Mode, SubMode>;
};
template <typename F, typename E>
struct operation_of<
    elements::rounded<F, rounding_mode::round_ties_to_even, subnormals_rounding_mode::preserve_subnormals>, E>
    : operation_of<F, E> {};
template <typename F, nan_propagation_mode Mode, subnormals_rounding_mode SubMode, typename E>
struct operation_of<elements::propagating<F, Mode, SubMode>, E> {
  using type = operation_in_modes<F, E, Mode, SubMode>;
};
template <typename E>
struct operation_of<elements::approximated<elements::exp, rounding_mode::round_approximate>, E> {
  using type = record::elementwise<functions::approximate_exp, E>;
};
template <typename E>
struct operation_of<elements::approximated<elements::tanh, rounding_mode::round_approximate>, E> {
  using type = record::elementwise<functions::approximate_tanh, E>;
};
template <typename F, typename E>
struct operation_of<elements::flushing<F, subnormals_rounding_mode::round_subnormals_to_zero>, E> {
  using type = operation_in_modes<F, E, 0, subnormals_rounding_mode::round_subnormals_to_zero>;
};

/// f of generic elements.
template <typename F, typename E, typename... More>
CUDA_TILE_API auto apply(F f, E a, More... more) {
  using operation = typename operation_of<F, E>::type;
  if constexpr (is_same_v<operation, void>)
    return f(a, more...);
  else
    return detail::recorded<operation, E>(a, more...);
}
/// Signed integers do not overflow: the manual leaves undefined what happens then.
#define CUDA_TILE_WITHOUT_OVERFLOW(function, op)                                                             \
  template <typename E>                                                                                      \
    requires(is_integer<E> && is_signed_v<E>)                                                                \
  CUDA_TILE_API E apply(elements::function, E a, E b) {                                                      \
    return static_cast<E>(a op b);                                                                           \
  }
CUDA_TILE_WITHOUT_OVERFLOW(add, +)
CUDA_TILE_WITHOUT_OVERFLOW(sub, -)
CUDA_TILE_WITHOUT_OVERFLOW(mul, *)
#undef CUDA_TILE_WITHOUT_OVERFLOW
template <typename E>
  requires(is_integer<E> && is_signed_v<E>)
CUDA_TILE_API E apply(elements::negate, E a) {
  return static_cast<E>(-a);
}
#if !CUDA_TILE_COMPOSED
template <typename E, typename N>
CUDA_TILE_API E apply(elements::powi const&, E a, N n) {
  using number = conditional_t<is_bool_v<N>, signed char, N>; // whose only bit is no sign
  return detail::recorded<record::powi<E>, E>(a, static_cast<number>(n));
}
#endif
template <typename E, typename F, typename A, typename... More>
CUDA_TILE_API auto apply(on_converted<E, F> f, A a, More... more) {
  return back_end::apply(f.f, detail::convert<E>(a), detail::convert<E>(more)...);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail::back_end
