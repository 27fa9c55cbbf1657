// How the elements of a tile are distributed over the threads of its block.
//
// All lengths are powers of two, so an element's row-major index is a string of bits, and the distribution
// says which of them select the thread and which the slot in that thread. Thread bits that correspond to no
// index bit make copies: threads that differ only in them hold the same elements. With one thread this is the
// row-major array itself.
#pragma once

#include "cuda_tile/core/extents.h"
#include "cuda_tile/threads/distribution_bits.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// The distribution of tiles of `Size` elements in rows of `Columns`.
template <size_t Size, size_t Columns>
struct distribution {
  static constexpr unsigned size = static_cast<unsigned>(Size);
  static constexpr unsigned threads = platform::block_threads;
  static constexpr index_bits bits = distribute(size, static_cast<unsigned>(Columns), threads);
  static constexpr bool replicated = bits.copies() != 0;
  static constexpr unsigned slots = 1u << bits.slot_count;
  /// Neighbouring elements of a row that a thread holds in neighbouring slots.
  static constexpr unsigned vector = bits.vector(static_cast<unsigned>(Columns));

  /// Row-major index of the element that thread `t` holds in `slot`.
  CUDA_TILE_CONSTEXPR static unsigned index(unsigned t, unsigned slot) {
    if constexpr (threads == 1)
      return slot;
    else
      return move_bits<distribution, bits_of_thread>(t) | move_bits<distribution, bits_of_slot>(slot);
  }
  /// The slot that holds element `i`; it is the same in every thread that holds it.
  CUDA_TILE_CONSTEXPR static unsigned slot(unsigned i) {
    if constexpr (threads == 1)
      return i;
    else
      return move_bits_back<distribution, bits_of_slot>(i);
  }
  /// The first thread that holds element `i`.
  CUDA_TILE_CONSTEXPR static unsigned owner(unsigned i) {
    return move_bits_back<distribution, bits_of_thread>(i);
  }
  /// Whether thread `t` is the first that holds its elements: the one that acts on memory for them.
  CUDA_TILE_CONSTEXPR static bool first(unsigned t) { return (t & bits.copies()) == 0; }
};

template <typename S>
CUDA_TILE_CONSTEXPR size_t row_length() {
  if constexpr (S::rank() == 0)
    return 1;
  else
    return detail::length<S>(S::rank() - 1);
}

template <typename S>
using distribution_of = distribution<shape_size_v<S>, row_length<S>()>;

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
