// Accesses through tiles of pointers with several threads a block: a thread loads and stores up to 16 bytes
// at a time where its pointers are neighbours, the first of each group is aligned, and the mask is the same
// within each group. Each thread tests this once, when the kernel runs; for sums of a pointer and an iota,
// the compiler can settle the first condition.
#pragma once

#include "cuda_tile/threads/map.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// How many neighbouring elements of a tile of shape S a thread holds together, up to 16 bytes.
template <typename E, typename S>
CUDA_TILE_CONSTEXPR unsigned vector_length() {
  constexpr unsigned most = sizeof(E) < 16 ? 16 / static_cast<unsigned>(sizeof(E)) : 1;
  return detail::least(most, distribution_of<S>::vector);
}

/// Whether this thread can access all its elements in groups of Vector.
template <unsigned Vector, typename Ptrs, typename Mask>
CUDA_TILE_API bool are_vectors(Ptrs const& ptrs, Mask const& mask) {
  bool are = true;
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < Ptrs::distribution::slots; s += Vector) {
    are = are && reinterpret_cast<size_t>(ptrs.slots[s]) % (Vector * sizeof(*ptrs.slots[s])) == 0;
    CUDA_TILE_UNROLL
    for (unsigned j = 1; j < Vector; ++j)
      are = are && ptrs.slots[s + j] == ptrs.slots[s] + j &&
            detail::convert<bool>(detail::operand_value(mask, s + j)) ==
                detail::convert<bool>(detail::operand_value(mask, s));
  }
  return are;
}

/// Loads in groups of Vector: *ptrs where the mask is true, else the padding.
template <unsigned Vector, typename R, typename Ptrs, typename Mask, typename Padding>
CUDA_TILE_API void load_groups(R& result, Ptrs const& ptrs, Mask const& mask, Padding const& padding) {
  using E = typename R::element_type;
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < R::distribution::slots; s += Vector) {
    if (detail::convert<bool>(detail::operand_value(mask, s))) {
      if constexpr (Vector == 1)
        result.slots[s] = *ptrs.slots[s];
      else
        platform::load_aligned<Vector * sizeof(E)>(result.slots + s, ptrs.slots[s]);
    } else {
      CUDA_TILE_UNROLL
      for (unsigned j = 0; j < Vector; ++j)
        result.slots[s + j] = detail::convert<E>(detail::operand_value(padding, s + j));
    }
  }
}

/// *ptrs where the mask is true, else the padding; both have the shape of ptrs or are single values.
template <typename R, typename Ptrs, typename Mask, typename Padding>
CUDA_TILE_API R load_slots(Ptrs const& ptrs, Mask const& mask, Padding const& padding) {
  constexpr unsigned vector = vector_length<typename R::element_type, tile_shape_t<R>>();
  R result;
  checks::define(result);
  if (vector > 1 && detail::are_vectors<vector>(ptrs, mask))
    detail::load_groups<vector>(result, ptrs, mask, padding);
  else
    detail::load_groups<1>(result, ptrs, mask, padding);
  return result;
}

/// Stores in groups of Vector: *ptrs = values where the mask is true.
template <unsigned Vector, typename Ptrs, typename Value, typename Mask>
CUDA_TILE_API void store_groups(Ptrs const& ptrs, Value const& value, Mask const& mask) {
  using E = remove_pointer_t<tile_element_t<Ptrs>>;
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < Ptrs::distribution::slots; s += Vector) {
    if (!detail::convert<bool>(detail::operand_value(mask, s)))
      continue;
    E group[Vector];
    CUDA_TILE_UNROLL
    for (unsigned j = 0; j < Vector; ++j)
      group[j] = detail::convert<E>(detail::operand_value(value, s + j));
    if constexpr (Vector == 1)
      *ptrs.slots[s] = group[0];
    else
      platform::store_global<Vector * sizeof(E)>(ptrs.slots[s], group);
  }
}

/// *ptrs = values where the mask is true, once in the block.
template <typename Ptrs, typename Value, typename Mask>
CUDA_TILE_API void store_slots(Ptrs const& ptrs, Value const& value, Mask const& mask) {
  constexpr unsigned vector = vector_length<remove_pointer_t<tile_element_t<Ptrs>>, tile_shape_t<Ptrs>>();
  platform::barrier();
  if (Ptrs::distribution::first(platform::thread())) {
    if constexpr (vector > 1) {
      if (detail::are_vectors<vector>(ptrs, mask))
        detail::store_groups<vector>(ptrs, value, mask);
      else
        detail::store_groups<1>(ptrs, value, mask);
    } else {
      detail::store_groups<1>(ptrs, value, mask);
    }
  }
  platform::barrier();
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
