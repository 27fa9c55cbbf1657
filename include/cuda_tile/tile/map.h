// Elementwise operations [1.6.2]: map applies a function to corresponding elements of operands broadcast to
// one shape.
#pragma once

#include "cuda_tile/core/elements.h"
#include "cuda_tile/tile/exchange.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// Whether an operand's slot s goes with slot s of a tile of shape S, or its only value with all of them.
template <typename Operand, typename S>
inline constexpr bool is_aligned_operand =
    scalar<Operand> || tile_size_v<Operand> == 1 || tile_size_v<Operand> == shape_size_v<S>;

/// An operand of nested loops: where its elements are, and the steps that broadcast them.
template <typename E, typename Steps>
struct strided_operand {
  E const* at;
  template <size_t D>
  CUDA_TILE_API strided_operand step(size_t i) const {
    return {at + i * Steps::at(D)};
  }
};

template <size_t Rank, typename Operand>
CUDA_TILE_API auto make_strided_operand(Operand const& operand) {
  using steps = broadcast_steps<tile_shape_t<Operand>, Rank>;
  if constexpr (scalar<Operand>)
    return strided_operand<remove_cv_t<Operand>, steps>{&operand};
  else
    return strided_operand<typename Operand::element_type, steps>{operand.slots};
}

template <typename Shape, size_t D, typename R, typename F, typename... Operands>
CUDA_TILE_API void map_nested(R* to, F f, Operands... operands) {
  if constexpr (D == Shape::rank()) {
    *to = f(*operands.at...);
  } else {
    constexpr size_t step = length_product<Shape>(D + 1, Shape::rank());
    for (size_t i = 0; i < length<Shape>(D); ++i) {
      detail::map_nested<Shape, D + 1>(to + i * step, f, operands.template step<D>(i)...);
#if defined(__GNUC__) && !defined(__clang__) && !CUDA_TILE_ON_CUDA
      if constexpr (D + 2 == Shape::rank())
        asm("" : : :); // or g++ makes vectors of columns, where rows are short
#endif
    }
  }
}

template <typename S, typename Operand>
CUDA_TILE_API decltype(auto) aligned_operand(Operand const& operand) {
  if constexpr (is_aligned_operand<Operand, S>)
    return detail::normal(operand);
  else
    return detail::rearrange<S, broadcast_steps<tile_shape_t<Operand>, S::rank()>>(operand);
}

template <typename R, typename F, typename... Operands>
CUDA_TILE_API R map_slots(F f, Operands const&... operands) {
  checks::before_map<tile_shape_t<R>>(f, operands...);
  R result;
  checks::after_map<F>(result, operands...);
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < R::distribution::slots; ++s)
    result.slots[s] = f(detail::operand_value(operands, s)...);
  return result;
}

#if CUDA_TILE_HAS_FORMS
/// Whether an operand's slots are in order for a transposed result: they are transposed, or the same value.
template <typename Operand>
CUDA_TILE_API bool fits_transposed(Operand const& operand) {
  if constexpr (tile_size_v<Operand> == 1)
    return true;
  else
    return detail::is_transposed(operand);
}

/// In the form that all operands have, else in the normal one.
template <typename R, typename F, typename... Operands>
CUDA_TILE_API R map_in_form(F f, Operands const&... operands) {
  bool const form = (detail::is_transposed(operands) || ...) && (detail::fits_transposed(operands) && ...);
  constexpr unsigned tiles = (0u + ... + (tile_size_v<Operands> != 1));
  auto in_order = [form](auto const& operand) {
    static_cast<void>(form); // clang++ warns where tiles <= 1
    if constexpr (tiles <= 1)
      return detail::settled(operand);
    else
      return form ? detail::settled(operand) : detail::normal(operand);
  };
  R result = detail::map_slots<R>(f, in_order(operands)...);
  result.transposed = form;
  return result;
}
#endif

/// With one thread, the operands broadcast by their steps.
template <typename R, typename F, typename... Operands>
CUDA_TILE_API R map_broadcast(F f, Operands const&... operands) {
  R result;
  detail::map_nested<tile_shape_t<R>, 0>(result.slots, f,
                                         detail::make_strided_operand<tile_rank_v<R>>(operands)...);
  return result;
}

/// r(I) = f(a(I), b(I), …), operands broadcast to the shape of R. R is a scalar if all operands are.
template <typename R, typename F, typename... Operands>
CUDA_TILE_API R map(F f, Operands const&... operands) {
  if constexpr (scalar<R>) {
    checks::before_map<shape<>>(f, operands...);
    return f(detail::operand_value(operands, 0)...);
  } else if constexpr ((is_aligned_operand<Operands, tile_shape_t<R>> && ...)) {
#if CUDA_TILE_HAS_FORMS
    if constexpr (may_be_transposed<typename R::element_type, tile_shape_t<R>>())
      return detail::map_in_form<R>(f, operands...);
#endif
    return detail::map_slots<R>(f, detail::normal(operands)...);
  } else if constexpr (platform::block_threads == 1 && !checks::enabled) {
    return detail::map_broadcast<R>(f, operands...);
  } else {
    return detail::map_slots<R>(f, detail::aligned_operand<tile_shape_t<R>>(operands)...);
  }
}

/// Converts to the tile type T; what has that type already is not copied.
template <typename T, typename Value>
CUDA_TILE_API decltype(auto) converted_tile(Value const& value) {
  if constexpr (is_same_v<T, Value>)
    return (value);
  else
    return T(value);
}

/// Converts and broadcasts to the tile type T; what has that type already is not copied.
template <typename T, typename Operand>
CUDA_TILE_API decltype(auto) broadcast_tile(Operand const& operand) {
  if constexpr (is_same_v<T, Operand>)
    return (operand);
  else
    return detail::map<T>([](auto v) { return detail::convert<typename T::element_type>(v); }, operand);
}

template <typename R, typename E, typename F, typename Lhs, typename Rhs>
CUDA_TILE_API R map_converted(F f, Lhs const& lhs, Rhs const& rhs) {
  return detail::map<R>(on_converted<E, F>{f}, lhs, rhs);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
