// Strips of memory of which a mask says which elements exist.
#pragma once

#include "cuda_tile/loops/strips.h"

namespace cuda_tile::inline CUDA_TILE_ABI::loops {

template <typename Mask>
CUDA_TILE_API bool all_of(Mask const& mask) {
  unsigned char all = 1;
  for (unsigned l = 0; l < Mask::distribution::size; ++l)
    all &= static_cast<unsigned char>(mask.slots[l]);
  return all;
}

template <typename E, unsigned S>
inline constexpr bool has_vectors_of_masks =
    ct::platform::has_partial_vectors<E> && S * sizeof(E) % ct::platform::vector_bytes == 0;

/// Masks whose elements are as wide as what they select from are stored as bools.
template <typename E, unsigned S, typename... Es>
CUDA_TILE_API void store(E* to, strip<truth<Es...>, S> const& x, between inside) {
  strip<E, S> bools;
  for (unsigned l = 0; l < S; ++l)
    bools.slots[l] = x.slots[l];
  loops::store<E, S>(to, bools, inside);
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
  if (loops::all_of(mask))
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
  if (loops::all_of(mask))
    copy<E, S>(to, x.slots);
  else if constexpr (has_vectors_of_masks<E, S>)
    ct::platform::store_where<S>(to, x.slots, mask.slots);
  else
    loops::store<E, S>(to, 1, x, mask);
}

/// Of so few elements each is tested, and not first whether all exist.
inline constexpr unsigned few_in_rows = 4;

/// Those of a tile's consecutive elements that a mask has, and padding for the others.
template <typename R, typename Mask, typename Padding>
CUDA_TILE_API R load_row(typename R::element_type const* from, Mask const& mask, Padding const& padding) {
  constexpr unsigned count = R::distribution::size;
  if (count > few_in_rows && loops::all_of(mask))
    return loops::load_row<R>(from);
  R result;
  for (unsigned l = 0; l < count; ++l) {
    auto element = padding.slots[l]; // a register: branches that write to the tile keep it in memory
    if (mask.slots[l])
      element = from[l];
    result.slots[l] = element;
  }
  return result;
}
template <typename R, typename Mask>
CUDA_TILE_API R load_row(typename R::element_type const* from, Mask const& mask) {
  return loops::load_row<R>(from, mask, R{});
}
template <typename R, typename Mask>
CUDA_TILE_API void store_row(typename R::element_type* to, R const& x, Mask const& mask) {
  if (R::distribution::size > few_in_rows && loops::all_of(mask))
    return loops::store_row(to, x);
  for (unsigned l = 0; l < R::distribution::size; ++l)
    if (mask.slots[l])
      to[l] = x.slots[l];
}

} // namespace cuda_tile::inline CUDA_TILE_ABI::loops
