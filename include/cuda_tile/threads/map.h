// map and the conversion of tiles with several threads a block: each thread computes the elements that it
// holds.
#pragma once

#include "cuda_tile/threads/exchange.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

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
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < R::distribution::slots; ++s)
    result.slots[s] = f(detail::operand_value(operands, s)...);
  return result;
}

#if CUDA_TILE_HAS_FORMS
/// Whether an operand's slots fit a transposed result: it is transposed itself, or all its slots have the
/// same value.
template <typename Operand>
CUDA_TILE_API bool fits_transposed(Operand const& operand) {
  if constexpr (tile_size_v<Operand> == 1)
    return true;
  else
    return detail::is_transposed(operand);
}

/// The result has the form that all operands have in common, otherwise the normal one.
template <typename R, typename F, typename... Operands>
CUDA_TILE_API R map_in_form(F f, Operands const&... operands) {
  bool const form = (detail::is_transposed(operands) || ...) && (detail::fits_transposed(operands) && ...);
  constexpr unsigned tiles = (0u + ... + (tile_size_v<Operands> != 1));
  auto in_order = [form](auto const& operand) {
    static_cast<void>(form); // else clang++ warns where tiles <= 1
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
  } else {
    return detail::map_slots<R>(f, detail::aligned_operand<tile_shape_t<R>>(operands)...);
  }
}

template <typename T, typename O>
CUDA_TILE_API void convert_into(T& result, O const& other) {
  using E = typename T::element_type;
  if constexpr (scalar<O>) {
    result.slots[0] = detail::convert<E>(other);
  } else {
    auto const& from = detail::in_form_for<E>(other);
    CUDA_TILE_UNROLL
    for (unsigned s = 0; s < T::distribution::slots; ++s)
      result.slots[s] = detail::convert<E>(from.slots[s]);
#if CUDA_TILE_HAS_FORMS
    result.transposed = from.transposed;
#endif
  }
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
