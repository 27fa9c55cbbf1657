// [2.15] Assumptions: values are returned unchanged. The compiler is told what it can use: the alignment of a
// pointer and the divisor of an integer.
#pragma once

#include "cuda_tile/checked/assume.h"
#include "cuda_tile/core/integral_constant.h"
#include "cuda_tile/tile/primitives.h"

namespace cuda::tiles::inline CUDA_TILE_ABI {
namespace detail {

template <auto V>
inline constexpr bool is_power_of_two = V > 0 && (V & (V - 1)) == 0;

template <typename S>
CUDA_TILE_CONSTEXPR bool has_no_zero_length() {
  for (size_t d = 0; d != static_cast<size_t>(S::rank()); ++d)
    if (length<S>(d) == 0)
      return false;
  return true;
}

/// Whether LB and UB lie between the least value of E and the greatest value of the signed type of the same
/// width [2.15.2].
template <typename E, auto LB, auto UB>
CUDA_TILE_CONSTEXPR bool are_bounds() {
  if constexpr (is_bool_v<E>) {
    return false;
  } else {
    constexpr unsigned long long greatest =
        static_cast<unsigned long long>(static_cast<bits_t<E>>(~bits_t<E>(0)) >> 1);
    auto at_least = [](auto v) {
      return v < 0 ? is_signed_v<E> && -static_cast<long long>(v + 1) <= static_cast<long long>(greatest)
                   : true;
    };
    auto at_most = [](auto v) { return v < 0 || static_cast<unsigned long long>(v) <= greatest; };
    bool ordered =
        LB < 0 ? (UB >= 0 || LB <= UB)
               : UB >= 0 && static_cast<unsigned long long>(LB) <= static_cast<unsigned long long>(UB);
    return at_least(LB) && at_most(LB) && at_least(UB) && at_most(UB) && ordered;
  }
}

} // namespace detail

/// [2.15.1] Each partition of shape S holds a single value.
template <shape_like S, tile_like T>
  requires(detail::has_no_zero_length<S>() && static_cast<size_t>(S::rank()) == tile_rank_v<T> &&
           (pointer_tile<T> || integral_tile<T>))
[[nodiscard]] CUDA_TILE_API T assume_blocked(T const& a, S = {}) noexcept {
  checks::assume_blocked<S>(a);
  return detail::assume_blocked<S>(a);
}

/// [2.15.2] LB <= element <= UB.
template <integral auto LB, integral auto UB, integral_tile T>
  requires(detail::are_bounds<tile_element_t<T>, LB, UB>())
[[nodiscard]] CUDA_TILE_API T assume_bounded(T const& a, integral_constant<LB> = {},
                                             integral_constant<UB> = {}) noexcept {
  checks::assume_bounded<LB, UB>("assume_bounded", a);
  return detail::assume_bounded<LB, UB>(a);
}

/// [2.15.3] element <= UB.
template <integral auto UB, integral_tile T>
  requires(detail::are_bounds<tile_element_t<T>, UB, UB>())
[[nodiscard]] CUDA_TILE_API T assume_bounded_above(T const& a, integral_constant<UB> = {}) noexcept {
  constexpr auto least = detail::least_v<tile_element_t<T>>;
  checks::assume_bounded<least, UB>("assume_bounded_above", a);
  return detail::assume_bounded<least, UB>(a);
}

/// [2.15.4] element >= LB.
template <integral auto LB, integral_tile T>
  requires(detail::is_signed_v<tile_element_t<T>> && detail::are_bounds<tile_element_t<T>, LB, LB>())
[[nodiscard]] CUDA_TILE_API T assume_bounded_below(T const& a, integral_constant<LB> = {}) noexcept {
  constexpr auto greatest = detail::greatest_v<tile_element_t<T>>;
  checks::assume_bounded<LB, greatest>("assume_bounded_below", a);
  return detail::assume_bounded<LB, greatest>(a);
}

/// [2.15.5] element % Div == 0.
template <integral auto Div, integral_tile T>
  requires(detail::is_power_of_two<Div>)
[[nodiscard]] CUDA_TILE_API T assume_divisible(T const& a, integral_constant<Div> = {}) noexcept {
  checks::assume_multiple<Div>("assume_divisible", a);
  return detail::assume_divisible<Div>(a);
}

/// [2.15.6] Along D, runs of Stride elements n, n + 1, … with n % Div == 0.
template <integral auto Div, integral auto Stride, integral auto D, integral_tile T>
  requires(detail::is_power_of_two<Div> && Stride > 0 && D >= 0 && static_cast<size_t>(D) < tile_rank_v<T> &&
           detail::is_signed_v<tile_element_t<T>>)
[[nodiscard]] CUDA_TILE_API T assume_divisible_strided(T const& a, integral_constant<Div> = {},
                                                       integral_constant<Stride> = {},
                                                       integral_constant<D> = {}) noexcept {
  checks::assume_runs<Div, Stride, D>("assume_divisible_strided", a, 1);
  return detail::assume_runs<Div, Stride, D>(a);
}

/// [2.15.7] Elements are pointers aligned to Align bytes.
template <integral auto Align, pointer_tile T>
  requires(detail::is_power_of_two<Align>)
[[nodiscard]] CUDA_TILE_API T assume_aligned(T a, integral_constant<Align> = {}) noexcept {
  checks::assume_multiple<Align>("assume_aligned", a);
  return detail::assume_aligned<Align>(a);
}

/// [2.15.8] Along D, runs of Stride pointers p, p + 1, … with p aligned to Align bytes.
template <integral auto Align, integral auto Stride, integral auto D, pointer_tile T>
  requires(detail::is_power_of_two<Align> && Stride > 0 && D >= 0 &&
           static_cast<size_t>(D) < tile_rank_v<T> &&
           !detail::is_same_v<detail::remove_cv_t<detail::remove_pointer_t<tile_element_t<T>>>, void>)
[[nodiscard]] CUDA_TILE_API T assume_aligned_strided(T a, integral_constant<Align> = {},
                                                     integral_constant<Stride> = {},
                                                     integral_constant<D> = {}) noexcept {
  checks::assume_runs<Align, Stride, D>("assume_aligned_strided", a,
                                        sizeof(detail::remove_pointer_t<tile_element_t<T>>));
  return detail::assume_runs<Align, Stride, D>(a);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI
