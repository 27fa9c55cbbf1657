// Strips of half and bfloat16 between operations that compute in float: they stay floats, rounded as their
// types are. So most conversions are left out, and NaN are made what they have to be in memory alone.
#pragma once

#include "cuda_tile/loops/strips.h"

namespace cuda_tile::inline CUDA_TILE_ABI::loops {

/// Elements as floats. NaN may lose its payload.
template <typename T>
CUDA_TILE_API auto floats(T const& x) {
  using E = ct::tile_element_t<T>;
  constexpr unsigned size = static_cast<unsigned>(ct::tile_size_v<T>);
  if constexpr (ct::scalar<T>) {
    return ct::detail::convert<float>(x);
  } else if constexpr (ct::detail::converts_halves<float, E, size>()) {
    strip<float, size> result;
    ct::detail::widen_halves<size, false>(result.slots, x.slots);
    return result;
  } else {
    return ct::element_cast<float>(x);
  }
}

/// Floats as __nv_bfloat16 rounds them, to nearest, ties to even.
template <typename V>
CUDA_TILE_API V rounded_to_bfloat16(V x) {
  using bits = ct::platform::vector<unsigned, sizeof(V)>;
  bits const b = (bits)x;
  bits const result = (b + 0x7fffu + (b >> 16 & 1u)) & 0xffff0000u;
  return x == x ? (V)result : x;
}

/// Floats rounded to what E can hold; NaN may keep anything.
template <typename E, typename T>
CUDA_TILE_API T rounded(T const& x) {
  constexpr unsigned size = T::distribution::size;
  using V = ct::platform::vector_of_most<float, size>;
  constexpr unsigned lanes = sizeof(V) / sizeof(float);
  T result;
  for (unsigned l = 0; l < size; l += lanes) {
    V v = ct::platform::load_vector<V>(x.slots + l);
    if constexpr (ct::detail::is_same_v<E, __nv_bfloat16>)
      v = loops::rounded_to_bfloat16(v);
    else if constexpr (ct::detail::converts_halves<float, E, size>())
      v = ct::platform::rounded_to_half(v);
    else
      for (unsigned i = 0; i < lanes; ++i)
        v[i] = ct::detail::convert<float>(ct::detail::convert<E>(float(v[i])));
    ct::platform::store_vector(result.slots + l, v);
  }
  return result;
}

/// Floats converted to E and back.
template <typename E, typename T>
CUDA_TILE_API T through(T const& x) {
  float const nan = ct::detail::convert<float>(ct::detail::convert<E>(__builtin_nanf("")));
  T result = loops::rounded<E>(x);
  for (unsigned l = 0; l < T::distribution::size; ++l)
    result.slots[l] = x.slots[l] == x.slots[l] ? result.slots[l] : nan;
  return result;
}

} // namespace cuda_tile::inline CUDA_TILE_ABI::loops
