// What only checked builds of Tile IR use, whose rules are not those of C++: integers wrap unless `overflow`
// promises that they do not, and the elements of a view may overlap.
#pragma once

#include "cuda_tile/tileir/integers.h"

namespace cuda_tile::inline CUDA_TILE_ABI::tileir {

/// F on numbers of one sign, whose exact result must fit in Bits bits.
template <typename F, int Bits>
struct exactly {};
/// The function whose result is the number itself, in To bits.
template <int To>
struct truncate {};

template <sign Sign, typename T>
CUDA_TILE_API auto as_numbers(T const& x) {
  using number = decltype(tileir::read<Sign>(ct::tile_element_t<T>{}));
  return map<ct::tile_with_element_t<T, number>>([](auto e) { return tileir::read<Sign>(e); }, x);
}

template <typename F, sign Sign, typename T, typename... Ts>
CUDA_TILE_API void check_promise(T const& x, Ts const&... others) {
  exactly<F, bitwidth_v<ct::tile_element_t<T>>> f;
  ct::checks::before_map<ct::tile_shape_t<T>>(f, tileir::as_numbers<Sign>(x),
                                              tileir::as_numbers<Sign>(others)...);
}

/// The result of F on operands, which is promised to be exact for numbers of the given signs.
template <typename F, sign... Promised, typename R, typename... Operands>
CUDA_TILE_API R promised(R const& result, Operands const&... operands) {
  (tileir::check_promise<F, Promised>(operands...), ...);
  return result;
}

template <typename S>
struct layout_overlapping;
/// Strides by which different indices may lead to one element.
template <ct::extents_like E, typename S>
struct overlapping_mapping : ct::layout_strided_mapping<E, S> {
  using ct::layout_strided_mapping<E, S>::layout_strided_mapping;
  using layout_type = layout_overlapping<S>;
};
template <typename S>
struct layout_overlapping {
  template <ct::extents_like E>
  using mapping = overlapping_mapping<E, S>;
};

} // namespace cuda_tile::inline CUDA_TILE_ABI::tileir

#if CUDA_TILE_CHECKED

namespace cuda::tiles::inline CUDA_TILE_ABI::checks {

namespace tileir = cuda_tile::tileir;

template <typename S>
inline constexpr bool may_overlap<tileir::layout_overlapping<S>> = true;

/// Whether a number fits in Bits bits, with the sign of its type.
template <int Bits, typename N>
CUDA_TILE_API bool fits(N x) {
  if constexpr (Bits >= detail::bitwidth_v<N>)
    return true;
  else if constexpr (detail::is_signed_v<N>)
    return x >= -(N(1) << (Bits - 1)) && x < N(1) << (Bits - 1);
  else
    return x < N(1) << Bits;
}

template <int Bits, typename F, typename N>
CUDA_TILE_API bool is_exact(F f, N a, N b) {
  if constexpr (Bits < 64) {
    using wide = detail::conditional_t<detail::is_signed_v<N>, long long, unsigned long long>;
    return checks::fits<Bits>(f(static_cast<wide>(a), static_cast<wide>(b)));
  } else if constexpr (detail::is_signed_v<N>) {
    return precondition<F>::violated(a, b) < 0;
  } else if constexpr (detail::is_same_v<F, elements::mul>) {
    return elements::mulhi{}(a, b) == 0;
  } else {
    return detail::is_same_v<F, elements::add> ? f(a, b) >= a : b <= a;
  }
}
/// A count beyond the width, which the shift itself reports, breaks no promise.
template <int Bits, typename N>
CUDA_TILE_API bool is_exact(tileir::shifting_left, N x, N by) {
  auto const count = static_cast<detail::bits_t<N>>(by);
  if (count >= static_cast<detail::bits_t<N>>(Bits))
    return true;
  auto const shifted = static_cast<N>(static_cast<unsigned long long>(x) << count);
  return static_cast<N>(shifted >> count) == x;
}

template <typename F, int Bits>
struct precondition<tileir::exactly<F, Bits>> {
  static constexpr char const* function = precondition<F>::function;
  template <typename N>
  static int violated(N a, N b) {
    return checks::is_exact<Bits>(F{}, a, b) ? -1 : cuda_tile_integer_overflow;
  }
};
template <int To, int Bits>
struct precondition<tileir::exactly<tileir::truncate<To>, Bits>> {
  static constexpr char const* function = "truncate";
  /// 1 is true, although the only numbers of one bit with a sign are 0 and -1.
  template <typename N>
  static int violated(N x) {
    return checks::fits<To>(x) || (To == 1 && x == 1) ? -1 : cuda_tile_integer_overflow;
  }
};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::checks

#endif
