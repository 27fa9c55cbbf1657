// Reductions and scans in record mode: the function is applied to the two arguments of a region.
#pragma once

#include "cuda_tile/record/map.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {
namespace back_end {

/// What changes nothing: 0 for sums, the least value for maxima, and so on.
template <typename E>
struct neutral {
  static CUDA_TILE_API E of(elements::add) { return detail::convert<E>(0); }
  static CUDA_TILE_API E of(elements::mul) { return detail::convert<E>(1); }
  static CUDA_TILE_API E of(elements::bit_and) { return static_cast<E>(~0ull); }
  static CUDA_TILE_API E of(elements::bit_or) { return 0; }
  static CUDA_TILE_API E of(elements::bit_xor) { return 0; }
  static CUDA_TILE_API E of(elements::logical_and) { return true; }
  static CUDA_TILE_API E of(elements::logical_or) { return false; }
  template <bool Max>
  static CUDA_TILE_API E of(elements::extremum<Max>) {
    if constexpr (is_floating_point_v<E>)
      return detail::convert<E>(Max ? -__builtin_inff() : __builtin_inff());
    else
      return Max ? least_v<E> : greatest_v<E>;
  }
  template <typename F, auto Mode, auto SubMode>
  static CUDA_TILE_API E of(elements::rounded<F, Mode, SubMode>) {
    return of(F{});
  }
  template <typename F, auto Mode, auto SubMode>
  static CUDA_TILE_API E of(elements::propagating<F, Mode, SubMode>) {
    return of(F{});
  }
};

template <typename Operation, typename R, typename F, typename T>
CUDA_TILE_API R folded(F f, T const& x) {
  using E = tile_element_t<T>;
  E const a = detail::recorded<record::argument<E, 0>, E>(),
          b = detail::recorded<record::argument<E, 1>, E>();
  return back_end::tile_of<R, Operation>(x.handle, detail::to_travel(E(back_end::apply(f, a, b))),
                                         detail::to_travel(neutral<E>::of(f)));
}

} // namespace back_end

template <size_t D, typename F, typename T>
CUDA_TILE_API reduced_tile<T, D> reduce(F f, T const& x) {
  using R = reduced_tile<T, D>;
  return back_end::folded<back_end::record::reduce<back_end::described_t<R>, static_cast<unsigned>(D)>, R>(f,
                                                                                                           x);
}
template <size_t D, typename F, typename T>
CUDA_TILE_API T scan(F f, T const& x) {
  return back_end::folded<back_end::record::scan<back_end::described_t<T>, static_cast<unsigned>(D)>, T>(f,
                                                                                                         x);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
