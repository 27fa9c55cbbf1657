// Staging: operands of a matrix product are copied from registers to memory that the block shares, as much of
// the inner dimension at a time as fits there (a k-slice).
#pragma once

#include "cuda_tile/threads/mma/fp8_halves.h"
#include "cuda_tile/threads/mma/interleave.h"
#include "cuda_tile/threads/mma/swizzle.h"
#include "cuda_tile/tile/matrix.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// Stores Count elements, at most 16 bytes.
template <unsigned Count, typename E>
CUDA_TILE_API void store_elements(E* to, E const* from) {
  if constexpr (Count == 1)
    *to = *from;
  else
    platform::store_aligned<Count * sizeof(E)>(to, from);
}
/// Stores Count elements converted to F.
template <typename F, unsigned Count, typename E>
CUDA_TILE_API void store_converted(F* to, E const* from) {
  if constexpr (is_same_v<E, F>) {
    detail::store_elements<Count>(to, from);
  } else {
    F values[Count];
    detail::convert_all<Count>(values, from);
    detail::store_elements<Count>(to, values);
  }
}

/// Stores the elements of a tile for which `wanted(i)` is true at `place(i)`, Step neighbours at once. D is
/// the distribution of the tile.
template <unsigned Step, typename D, typename To, typename T, typename Wanted, typename Place>
CUDA_TILE_API void stage(To to, T const& from, Wanted wanted, Place place) {
  unsigned const t = platform::thread(), own = place(D::index(t, 0));
  if (!D::first(t))
    return;
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < D::slots; s += Step)
    if (wanted(D::index(t, s))) {
      detail::store_converted<typename To::element_type, Step>(to.element(own, place(D::index(0, s))),
                                                               from.slots + s);
      asm volatile("" : : : "memory"); // else NVRTC spends long on whether later stores overwrite this one
    }
}

// How an operand with elements F lies in shared memory. All have
//   elements(slice)              the number of elements of a k-slice of that length
//   matrix<Slice>                where they are
//   stage<K0, Slice>(to, from)   copies the k-slice of a tile that begins at K0 there

/// The left operand of W, row by row and batch by batch.
template <typename F, typename W>
struct staged_left {
  template <unsigned Slice>
  using matrix = swizzled_matrix<F, Slice>;

  CUDA_TILE_CONSTEXPR static unsigned elements(unsigned slice) { return W::left_batches * W::m * slice; }

  template <unsigned K0, unsigned Slice, typename T>
  CUDA_TILE_API static void stage(matrix<Slice> to, T const& from) {
    using D = typename T::distribution;
    detail::stage<detail::least(D::vector, to.per_segment), D>(
        to, from, [](unsigned i) { return i % W::k / Slice == K0 / Slice; },
        [](unsigned i) { return matrix<Slice>::place(i / W::k, i % Slice); });
  }
};

/// The right operand, by rows of the inner dimension and batch by batch, in the order that Fragments says
/// (right_fragments.h).
template <typename F, typename Fragments, typename W>
struct staged_rows {
  using order = interleave<Fragments::group, W::run>;
  static constexpr unsigned row_length = W::n * order::gap;
  template <unsigned Slice>
  using matrix = swizzled_matrix<F, row_length>;

  CUDA_TILE_CONSTEXPR static unsigned elements(unsigned slice) {
    return W::right_batches * slice * row_length;
  }
  /// The place of row k of `Slice`, and of a column in staged order.
  template <unsigned Slice>
  CUDA_TILE_CONSTEXPR static unsigned place(unsigned batch, unsigned k, unsigned column) {
    return matrix<Slice>::place(batch * Slice + k, column);
  }
  template <unsigned K0, unsigned Slice, typename T>
  CUDA_TILE_API static void stage(matrix<Slice> to, T const& from) {
    using D = typename T::distribution;
    detail::stage<detail::least(D::vector, detail::least(to.per_segment, order::contiguous)), D>(
        to, from, [](unsigned i) { return i / W::n % W::k / Slice == K0 / Slice; },
        [](unsigned i) {
          unsigned const row = i / W::n;
          return place<Slice>(row / W::k, Fragments::row_place(row % Slice), order::place(i % W::n));
        });
  }
};

/// The right operand held transposed, by columns and batch by batch.
template <typename F, typename Fragments, typename W>
struct staged_columns {
  using order = interleave<Fragments::group, W::run>;
  template <unsigned Slice>
  using matrix = swizzled_matrix<F, Slice>;

  CUDA_TILE_CONSTEXPR static unsigned elements(unsigned slice) { return W::right_batches * W::n * slice; }

  template <unsigned Slice>
  CUDA_TILE_CONSTEXPR static unsigned place(unsigned batch, unsigned k, unsigned column) {
    return matrix<Slice>::place(batch * W::n + column, k);
  }
  template <unsigned K0, unsigned Slice, typename T>
  CUDA_TILE_API static void stage(matrix<Slice> to, T const& from) {
    using D = distribution_of<transposed_shape<typename T::shape_type>>;
    detail::stage<detail::least(D::vector, to.per_segment), D>(
        to, from, [](unsigned i) { return i % W::k / Slice == K0 / Slice; },
        [](unsigned i) {
          unsigned const column = i / W::k;
          return place<Slice>(column / W::n, i % Slice, order::place(column % W::n));
        });
  }
};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
