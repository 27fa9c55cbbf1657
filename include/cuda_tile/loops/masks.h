// Strips of memory of which a mask says which elements exist.
#pragma once

#include "cuda_tile/loops/strips.h"

namespace cuda_tile::inline CUDA_TILE_ABI::loops {

template <unsigned S>
CUDA_TILE_API bool all_of(strip<bool, S> const& mask) {
  unsigned char all = 1;
  for (unsigned l = 0; l < S; ++l)
    all &= static_cast<unsigned char>(mask.slots[l]);
  return all;
}

template <typename E, unsigned S>
inline constexpr bool has_vectors_of_masks =
    ct::platform::has_partial_vectors<E> && S * sizeof(E) % ct::platform::vector_bytes == 0;

/// Masks whose elements are as wide as what they select from are stored as bools.
template <typename E, unsigned S, typename... Es>
CUDA_TILE_API void store(E* to, strip<truth<Es...>, S> const& x, long long inside) {
  strip<E, S> bools;
  for (unsigned l = 0; l < S; ++l)
    bools.slots[l] = x.slots[l];
  loops::store<E, S>(to, bools, inside);
}

/// What a mask selects, in vectors: compilers unroll short loops and then choose one by one.
template <typename R, typename C, typename A>
CUDA_TILE_API R select(C const& condition, A const& a, A const& b) {
  using E = typename R::element_type;
  constexpr unsigned whole = ct::platform::vector_bytes, bytes = sizeof(R) < whole ? sizeof(R) : whole;
  if constexpr (sizeof(condition) == sizeof(R) && sizeof(a) == sizeof(R) && sizeof(R) % bytes == 0 &&
                bytes >= 16) {
    using V = ct::platform::vector<ct::detail::bits_t<E>, bytes>;
    constexpr unsigned lanes = bytes / sizeof(E);
    R result;
    for (unsigned l = 0; l < R::distribution::size; l += lanes) {
      V const mask = ct::platform::load_vector<V>(condition.slots + l);
      V const x = ct::platform::load_vector<V>(a.slots + l), y = ct::platform::load_vector<V>(b.slots + l);
      ct::platform::store_vector(result.slots + l, mask != 0 ? x : y);
    }
    return result;
  } else {
    return tileir::select<R>(condition, a, b);
  }
}

/// Elements at a distance of `step` where the mask is true, and padding for the others.
template <unsigned S, typename E>
CUDA_TILE_API strip<E, S> load(E const* from, long long step, strip<bool, S> const& mask, E pad) {
  strip<E, S> result;
  for (unsigned l = 0; l < S; ++l)
    result.slots[l] = mask.slots[l] ? from[l * step] : pad;
  return result;
}
/// The same for neighbours, of which mostly all exist.
template <unsigned S, typename E>
CUDA_TILE_API strip<E, S> load(E const* from, strip<bool, S> const& mask, E pad) {
  strip<E, S> result;
  if (loops::all_of<S>(mask))
    copy<E, S>(result.slots, from);
  else if constexpr (has_vectors_of_masks<E, S>)
    ct::platform::load_where<S>(result.slots, from, mask.slots, pad);
  else
    result = loops::load<S, E>(from, 1, mask, pad);
  return result;
}

template <typename E, unsigned S>
CUDA_TILE_API void store(E* to, long long step, strip<E, S> const& x, strip<bool, S> const& mask) {
  for (unsigned l = 0; l < S; ++l)
    if (mask.slots[l])
      to[l * step] = x.slots[l];
}
template <typename E, unsigned S>
CUDA_TILE_API void store(E* to, strip<E, S> const& x, strip<bool, S> const& mask) {
  if (loops::all_of<S>(mask))
    copy<E, S>(to, x.slots);
  else if constexpr (has_vectors_of_masks<E, S>)
    ct::platform::store_where<S>(to, x.slots, mask.slots);
  else
    loops::store<E, S>(to, 1, x, mask);
}

} // namespace cuda_tile::inline CUDA_TILE_ABI::loops
