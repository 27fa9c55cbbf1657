// How the elements of a tile are distributed over the threads of its block.
//
// All lengths are powers of two, so an element's row-major index is a string of bits, and the distribution
// says which bits name the slot and which the thread: from the lowest, log2(vector) slot bits, log2(threads)
// thread bits, slot bits. With one thread this is the row-major array itself.
#pragma once

#include "cuda_tile/core/extents.h"
#include "cuda_tile/platform/platform.h"

namespace cuda::tiles::detail {

template <size_t Size>
struct distribution {
  static constexpr unsigned size = static_cast<unsigned>(Size);
  static constexpr unsigned threads = platform::block_threads;
  /// With fewer elements than threads, element i is held by each thread t with t % size == i.
  static constexpr bool replicated = size < threads;
  static constexpr unsigned slots = replicated ? 1 : size / threads;
  /// Neighbouring elements that a thread holds in neighbouring slots.
  static constexpr unsigned vector = threads == 1 ? slots : slots < 8 ? slots : 8;

  /// Row-major index of what thread `t` holds in `slot`.
  CUDA_TILE_CONSTEXPR static unsigned index(unsigned t, unsigned slot) {
    if constexpr (threads == 1)
      return slot;
    else if constexpr (replicated)
      return t % size;
    else
      return slot / vector * (threads * vector) + t * vector + slot % vector;
  }
  /// The slot that holds element `i`, in whichever thread.
  CUDA_TILE_CONSTEXPR static unsigned slot(unsigned i) {
    if constexpr (threads == 1)
      return i;
    else if constexpr (replicated)
      return 0;
    else
      return i / (threads * vector) * vector + i % vector;
  }
  /// The first thread that holds element `i`.
  CUDA_TILE_CONSTEXPR static unsigned owner(unsigned i) {
    if constexpr (threads == 1)
      return 0;
    else if constexpr (replicated)
      return i;
    else
      return i / vector % threads;
  }
  /// Whether thread `t` is the first that holds its elements: the one that acts on memory for them.
  CUDA_TILE_CONSTEXPR static bool first(unsigned t) { return !replicated || t < size; }
};

} // namespace cuda::tiles::detail
