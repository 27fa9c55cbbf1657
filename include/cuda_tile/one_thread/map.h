// map and the conversion of tiles with one thread a block: loops over arrays.
#pragma once

#include "cuda_tile/core/math_elements.h"
#include "cuda_tile/one_thread/angles.h"
#include "cuda_tile/one_thread/division.h"
#include "cuda_tile/one_thread/halves.h"
#include "cuda_tile/one_thread/rearrange.h"
#include "cuda_tile/one_thread/short_maps.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// x itself: with one thread, elements are always where distribution_of says.
template <typename T>
CUDA_TILE_API T const& normal(T const& x) {
  return x;
}
/// x itself: there is no other thread.
template <typename T>
CUDA_TILE_API T const& shared_value(T const& x) {
  return x;
}

template <typename S, typename Operand>
CUDA_TILE_API decltype(auto) aligned_operand(Operand const& operand) {
  if constexpr (is_aligned_operand<Operand, S>)
    return (operand);
  else
    return detail::rearrange<S, broadcast_steps<tile_shape_t<Operand>, S::rank()>>(operand);
}

/// An operand of nested loops: a pointer to its elements, and the steps that broadcast them.
template <typename E, typename Steps>
struct strided_operand {
  using element_type = E;
  using steps = Steps;
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

/// Whether rows of N elements along dimension D are divided by one number each, in whole vectors.
template <unsigned N, size_t D, typename F, typename... Operands>
inline constexpr bool divides_by_one = false;
template <unsigned N, size_t D, typename L, typename R>
inline constexpr bool divides_by_one<N, D, elements::div, L, R> =
    !checks::enabled && divides_rows<typename L::element_type, N> &&
    is_same_v<typename L::element_type, typename R::element_type> && L::steps::at(D) == 1 &&
    R::steps::at(D) == 0;

template <typename Shape, size_t D, typename R, typename F, typename... Operands>
CUDA_TILE_API void map_nested(R* to, F f, Operands... operands) {
  if constexpr (D == Shape::rank()) {
    *to = f(*operands.at...);
  } else if constexpr (D + 1 == Shape::rank() && divides_by_one<length<Shape>(D), D, F, Operands...>) {
    [&](auto x, auto divisor) { detail::divide_row<length<Shape>(D)>(to, x.at, *divisor.at); }(operands...);
  } else {
    constexpr size_t step = detail::length_product<Shape>(D + 1, Shape::rank());
    for (size_t i = 0; i < length<Shape>(D); ++i) {
      detail::map_nested<Shape, D + 1>(to + i * step, f, operands.template step<D>(i)...);
#if defined(__GNUC__) && !defined(__clang__)
      if constexpr (D + 2 == Shape::rank())
        asm("" : : :); // else g++ vectorises along columns where rows are short
#endif
    }
  }
}

template <typename R, typename F, typename... Operands>
CUDA_TILE_API R map_aligned(F f, Operands const&... operands) {
  checks::before_map<tile_shape_t<R>>(f, operands...);
  if constexpr (maps_vectors<R, F, Operands...>)
    return detail::map_vectors<R, F>(operands...);
  R result;
  checks::after_map<F>(result, operands...);
  for (unsigned s = 0; s < R::distribution::slots; ++s)
    result.slots[s] = f(detail::operand_value(operands, s)...);
  return result;
}

/// Whether an operand has as many elements as a result, and not one for all of them.
template <typename T, typename R>
concept has_each = !scalar<T> && tile_size_v<T> == R::distribution::slots;

template <typename R, typename E, has_each<R> T>
CUDA_TILE_API R map_aligned(conversion_to<E> f, T const& operand) {
  checks::before_map<tile_shape_t<R>>(f, operand);
  if constexpr (maps_vectors<R, conversion_to<E>, T>)
    return detail::map_vectors<R, conversion_to<E>>(operand);
  R result;
  checks::after_map<conversion_to<E>>(result, operand);
  detail::convert_elements<R::distribution::slots>(result.slots, operand.slots);
  return result;
}

/// Quotients by one number.
template <typename R, has_each<R> T>
  requires(!checks::enabled && divides_rows<typename R::element_type, R::distribution::slots>)
CUDA_TILE_API R map_aligned(elements::div, T const& operand, float divisor) {
  R result;
  detail::divide_row<R::distribution::slots>(result.slots, operand.slots, divisor);
  return result;
}

/// exp in whole vectors.
template <typename R, typename F, has_each<R> T>
  requires(__is_base_of(elements::exp, F) && platform::has_exp_of_vectors &&
           is_same_v<typename R::element_type, float> &&
           R::distribution::slots % (platform::vector_bytes / sizeof(float)) == 0)
CUDA_TILE_API R map_aligned(F f, T const& operand) {
  using V = platform::vector<float>;
  checks::before_map<tile_shape_t<R>>(f, operand);
  R result;
  checks::after_map<F>(result, operand);
  for (unsigned s = 0; s < R::distribution::slots; s += platform::vector_bytes / sizeof(float)) {
    V const x = platform::load_vector<V>(operand.slots + s);
    platform::store_vector(result.slots + s, platform::exp_of_vector(x));
  }
  return result;
}

/// sin, cos and tan.
template <typename R, typename F, has_each<R> T>
  requires(has_moderate<F> && !maps_halves<R, F, T>)
CUDA_TILE_API R map_aligned(F f, T const& operand) {
  constexpr unsigned slots = R::distribution::slots;
  checks::before_map<tile_shape_t<R>>(f, operand);
  R result;
  checks::after_map<F>(result, operand);
  if (detail::are_moderate_angles<slots>(operand.slots))
    for (unsigned s = 0; s < slots; ++s)
      result.slots[s] = of_moderate<F>{}(operand.slots[s]);
  else
    for (unsigned s = 0; s < slots; ++s)
      result.slots[s] = f(operand.slots[s]);
  return result;
}

template <typename F>
inline constexpr bool is_pow = __is_base_of(elements::pow, F);
template <typename E, typename F>
inline constexpr bool is_pow<on_converted<E, F>> = is_pow<F>;

/// pow, which has its loop apart: within others it lacks registers.
template <typename R, typename F, typename... Operands>
  requires(!checks::enabled && is_pow<F> && !maps_halves<R, F, Operands...>)
__attribute__((noinline)) R map_aligned(F f, Operands const&... operands) {
  R result;
  for (unsigned s = 0; s < R::distribution::slots; ++s)
    result.slots[s] = f(detail::operand_value(operands, s)...);
  return result;
}

/// Functions of halves that are computed in float: whole vectors are converted.
template <typename R, typename F, typename... Operands>
  requires maps_halves<R, F, Operands...>
CUDA_TILE_API R map_aligned(F, Operands const&... operands) {
  constexpr unsigned slots = R::distribution::slots, most = 2 * platform::halves_at_once;
  constexpr unsigned count = slots < most ? slots : most;
  using E = typename R::element_type;
  using part = tile<conditional_t<is_same_v<E, __half>, float, E>, shape<count>>;
  R result;
  for (unsigned s = 0; s < slots; s += count) {
    auto const found =
        detail::map_aligned<part>(typename in_float<F>::type{}, detail::as_floats<count>(operands, s)...);
    if constexpr (is_same_v<E, __half>)
      detail::convert_elements<count>(result.slots + s, found.slots);
    else
      for (unsigned l = 0; l < count; ++l)
        result.slots[s + l] = found.slots[l];
  }
  return result;
}

/// map over operands that are broadcast by their steps.
template <typename R, typename F, typename... Operands>
CUDA_TILE_API R map_broadcast(F f, Operands const&... operands) {
  R result;
  detail::map_nested<tile_shape_t<R>, 0>(result.slots, f,
                                         detail::make_strided_operand<tile_rank_v<R>>(operands)...);
  return result;
}

template <typename R, typename F, typename... Operands>
CUDA_TILE_API R map(F f, Operands const&... operands) {
  if constexpr (scalar<R>) {
    checks::before_map<shape<>>(f, operands...);
    return f(detail::operand_value(operands, 0)...);
  } else if constexpr ((is_aligned_operand<Operands, tile_shape_t<R>> && ...)) {
    return detail::map_aligned<R>(f, operands...);
  } else if constexpr (!checks::enabled) {
    return detail::map_broadcast<R>(f, operands...);
  } else {
    return detail::map_aligned<R>(f, detail::aligned_operand<tile_shape_t<R>>(operands)...);
  }
}

template <typename T, typename O>
CUDA_TILE_API void convert_into(T& result, O const& other) {
  using E = typename T::element_type;
  checks::after_map<void>(result, other);
  if constexpr (scalar<O>) {
    result.slots[0] = detail::convert<E>(other);
  } else {
    detail::convert_elements<T::distribution::slots>(result.slots, other.slots);
  }
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
