// The form of a tile: whether its last two dimensions were interchanged without moving an element.
//
// If matrix products support the element type, transpose leaves each element in its thread and slot and marks
// the tile as transposed: slot s of thread t then holds the element that the distribution of the transposed
// shape puts there. Operations on elements keep the form that all their operands have in common, and matrix
// products accept both; all other operations ask for the normal() form (exchange.h). The form is a value,
// since tiles of both forms have one type; with all functions inlined, the compiler knows it. There is no
// transposed form with fewer threads than a warp, where nothing is distributed as a matrix, nor in checked
// builds, which identify elements by slots.
#pragma once

#include "cuda_tile/core/scalars.h"
#include "cuda_tile/threads/distribution.h"
#include "cuda_tile/tile/traits.h"

#define CUDA_TILE_HAS_FORMS (CUDA_TILE_FORMS && CUDA_TILE_BLOCK_THREADS >= 32 && !CUDA_TILE_CHECKED)

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

template <typename S>
struct transposed_lengths {
  static constexpr size_t rank = S::rank();
  CUDA_TILE_CONSTEXPR static size_t at(size_t d) {
    return length<S>(d + 2 < rank ? d : d + 1 == rank ? rank - 2 : rank - 1);
  }
};
/// S with its last two lengths interchanged.
template <typename S>
using transposed_shape = make_shape<transposed_lengths<S>, S::rank()>;

/// The elements that matrix instructions multiply. Others are moved when they are transposed: if they had two
/// forms, each operation on a product's sums, or on masks of them, would contain code for both.
template <typename E>
inline constexpr bool is_transposed_in_place =
    (sizeof(E) <= 2 && is_numeric_v<E> && !is_bool_v<E>) || is_same_v<E, __nv_tf32> || is_same_v<E, double>;

/// Whether tiles of elements E and shape S can be in the transposed form.
template <typename E, typename S>
CUDA_TILE_CONSTEXPR bool may_be_transposed() {
#if CUDA_TILE_HAS_FORMS
  if constexpr (S::rank() >= 2 && is_transposed_in_place<E>) {
    constexpr size_t columns = row_length<S>(), rows = detail::length<S>(S::rank() - 2);
    return rows >= 16 && columns >= 16 && !distribution_of<S>::replicated;
  }
#endif
  return false;
}

/// Index in a tile of shape S of the element that has index i in the transposed tile.
template <typename S>
CUDA_TILE_CONSTEXPR unsigned transposed_index(unsigned i) {
  constexpr unsigned columns = static_cast<unsigned>(row_length<S>());
  constexpr unsigned rows = static_cast<unsigned>(detail::length<S>(S::rank() - 2));
  return (i / (rows * columns) * rows + i % rows) * columns + i / rows % columns;
}

template <typename T>
CUDA_TILE_CONSTEXPR bool is_transposed(T const& x) {
  if constexpr (is_tile_v<T>)
    if constexpr (may_be_transposed<typename T::element_type, typename T::shape_type>())
      return x.transposed != 0;
  return false;
}

/// Row-major index of the element of x that thread `t` holds in `slot`.
template <typename T>
CUDA_TILE_API unsigned index_in(T const& x, unsigned t, unsigned slot) {
  using S = typename T::shape_type;
  if constexpr (is_tile_v<T> && may_be_transposed<typename T::element_type, S>()) {
    if (x.transposed)
      return detail::transposed_index<S>(distribution_of<transposed_shape<S>>::index(t, slot));
  }
  return T::distribution::index(t, slot);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
