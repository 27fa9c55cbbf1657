// Packed factors of products, in chunks that the blocks of a launch share: the first block that needs one
// packs it. Blocks never wait for each other: one that needs a chunk while another block packs it makes its
// own.
#pragma once

#include "cuda_tile/tileir/tiles.h"

namespace cuda_tile::inline CUDA_TILE_ABI::loops {

namespace ct = cuda::tiles;

/// The row or column of tiles that a block takes from a factor: its number among all of them, or -1 if it
/// lies outside of the array.
struct line {
  long long number, count;

  template <typename I>
  CUDA_TILE_API line and_then(I index, long long extent, long long tile) const {
    auto at = static_cast<unsigned long long>(index);
    long long tiles = (extent + tile - 1) / tile;
    bool exists = number >= 0 && at < static_cast<unsigned long long>(tiles);
    return {exists ? number * tiles + static_cast<long long>(at) : -1, count * tiles};
  }
};

template <typename Chunk>
class shared_chunks {
  enum state : unsigned { empty, being_packed, ready };
  static constexpr unsigned long long most_bytes = 256ull << 20;

  unsigned* states = nullptr;
  Chunk* chunks = nullptr;
  unsigned* taken = nullptr; // the state of the present chunk, if this block packs it for all
  long long shared = 0;      // how many chunks of the line there are
  Chunk own;

public:
  Chunk* present = &own;
  bool packs = true; // whether this block packs the present chunk

  /// Shares the chunks of lines of `count` chunks, if each is used by two blocks at least, on average.
  CUDA_TILE_API void share(unsigned number, line at, long long count) {
    auto* block = ct::platform::current_block;
    auto grid = ct::num_blocks();
    auto blocks = 1ull * grid.x * grid.y * grid.z;
    auto all = static_cast<unsigned long long>(at.count) * static_cast<unsigned long long>(count);
    unsigned long long state_bytes = (all * sizeof(unsigned) + 63) / 64 * 64;
    if (at.number < 0 || count <= 0 || !block || !block->shared ||
        blocks < 2 * static_cast<unsigned long long>(at.count) || all > most_bytes / sizeof(Chunk))
      return;
    auto* memory = static_cast<char*>(
        block->shared->get(block->shared, number, state_bytes + all * sizeof(Chunk), state_bytes));
    if (!memory)
      return;
    shared = count;
    states = reinterpret_cast<unsigned*>(memory) + at.number * count;
    chunks = reinterpret_cast<Chunk*>(memory + state_bytes) + at.number * count;
  }

  CUDA_TILE_API bool is_shared() const { return shared != 0; }

  /// Begins a chunk that no other block is to use.
  CUDA_TILE_API void begin_own() {
    present = &own;
    packs = true;
  }
  CUDA_TILE_API void begin(unsigned chunk) {
    begin_own();
    if (chunk >= shared)
      return;
    unsigned known = __atomic_load_n(states + chunk, __ATOMIC_ACQUIRE);
    if (known == ready) {
      present = chunks + chunk;
      packs = false;
    } else if (known == empty && __atomic_compare_exchange_n(states + chunk, &known, being_packed, false,
                                                             __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
      present = chunks + chunk;
      taken = states + chunk;
    }
  }
  /// Where the chunk lies that this block probably needs next, if it need not pack it; else null.
  CUDA_TILE_API void const* next() const { return packs ? nullptr : present + 1; }
  CUDA_TILE_API void end() {
    if (taken)
      __atomic_store_n(taken, ready, __ATOMIC_RELEASE);
    taken = nullptr;
  }
};

} // namespace cuda_tile::inline CUDA_TILE_ABI::loops
