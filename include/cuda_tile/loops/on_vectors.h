// What functions of Tile IR's operations are on vectors (one_thread/short_maps.h).
#pragma once

#include "cuda_tile/tileir/integers.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// Whether vectors hold numbers of that sign: those of one bit have none.
template <cuda_tile::tileir::sign Sign, typename V>
concept reads_vectors =
    Sign == cuda_tile::tileir::as_unsigned || is_signed_v<remove_cvref_t<decltype(V{}[0])>>;

/// Integers read with a sign or without one.
template <cuda_tile::tileir::sign Sign, typename V>
CUDA_TILE_API auto read_vector(V x) {
  if constexpr (Sign == cuda_tile::tileir::as_unsigned)
    return (wrapping_vector<V>)x;
  else
    return x;
}

template <cuda_tile::tileir::sign Sign, typename F>
struct on_vectors<cuda_tile::tileir::reading<Sign, F>> {
  template <typename V>
    requires reads_vectors<Sign, V> && requires(V x) { on_vectors<F>::of(x, x); }
  CUDA_TILE_API static V of(V a, V b) {
    return (V)on_vectors<F>::of(detail::read_vector<Sign>(a), detail::read_vector<Sign>(b));
  }
};
template <cuda_tile::tileir::sign Sign, typename F>
struct on_vectors<cuda_tile::tileir::comparing<Sign, F>> {
  template <typename V>
    requires reads_vectors<Sign, V>
  CUDA_TILE_API static auto of(V a, V b) {
    return on_vectors<F>::of(detail::read_vector<Sign>(a), detail::read_vector<Sign>(b));
  }
};
template <typename E, cuda_tile::tileir::sign Sign>
  requires(!is_same_v<E, bool>)
struct on_vectors<cuda_tile::tileir::resizing<E, Sign>> {
  template <typename V>
    requires reads_vectors<Sign, V>
  CUDA_TILE_API static auto of(V a) {
    return detail::read_vector<Sign>(a);
  }
};
template <>
struct on_vectors<cuda_tile::tileir::selecting> {
  static constexpr bool chooses = true;
  template <typename C, typename V>
  CUDA_TILE_API static V of(C condition, V a, V b) {
    return on_vectors<elements::choose<V>>::of(condition, a, b);
  }
};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
