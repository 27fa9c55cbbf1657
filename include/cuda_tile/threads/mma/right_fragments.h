// How fragments of the right operand get from shared memory to registers: a lane holds two words of each 8
// columns (threads/mma/mma_sync.h).
//
// There is one way for each size of elements, and one for transposed operands. Each defines, for accumulators
// in runs of Run neighbouring columns (threads/distribution_bits.h):
//   group                neighbours that stay together in a staged row (interleave.h)
//   adjacent<Run>        how many instructions take neighbouring columns; any column may go to any of them
//   per_load<Run>        the fragments that one load fills
//   lane_index<Run>      where a lane finds its part: k and column, from the fragment's first
//   column<Run>(n)       the first column of fragment n
//   row_place(k)         which staged row of a k-slice is row k of the operand
//   load(b, address)     fills fragments b from address(lane, k)
#pragma once

#include "cuda_tile/platform/mma_sync.h"
#include "cuda_tile/threads/mma/interleave.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

struct staged_index {
  unsigned k, column;
};

/// Elements of 16 bits, staged by rows of the inner dimension: ldmatrix transposes them.
struct ldmatrix_pairs {
  static constexpr unsigned group = 2;
  template <unsigned Run>
  static constexpr unsigned adjacent = 1;
  template <unsigned Run>
  static constexpr unsigned per_load = least(Run / 2, 2);

  template <unsigned Run>
  CUDA_TILE_CONSTEXPR static staged_index lane_index(unsigned lane) {
    return {lane % 16, lane / 16 * 8};
  }
  template <unsigned Run>
  CUDA_TILE_CONSTEXPR static unsigned column(unsigned n) {
    return n * 8;
  }
  CUDA_TILE_CONSTEXPR static unsigned row_place(unsigned k) { return k; }

  template <unsigned PerLoad, typename Word, typename Address>
  CUDA_TILE_API static void load(Word (&b)[PerLoad][2], Address address) {
    platform::load_matrices<2 * PerLoad, true>(&b[0][0], [&](unsigned lane) { return address(lane, 0); });
  }
};

/// Elements of 8 bits, staged likewise: ldmatrix moves pairs of columns, whose bytes are then rearranged.
struct ldmatrix_bytes {
  static constexpr unsigned group = 4;
  template <unsigned Run>
  static constexpr unsigned adjacent = least(Run / 2, 2);
  template <unsigned Run>
  static constexpr unsigned per_load = adjacent<Run>;

  template <unsigned Run>
  CUDA_TILE_CONSTEXPR static staged_index lane_index(unsigned lane) {
    return {lane, 0};
  }
  template <unsigned Run>
  CUDA_TILE_CONSTEXPR static unsigned column(unsigned n) {
    return n * 8 * interleave<group, Run>::gap;
  }
  /// A lane gets rows 2 q and 2 q + 1 of each 8, but its words have to hold rows 4 q to 4 q + 3.
  CUDA_TILE_CONSTEXPR static unsigned row_place(unsigned k) {
    return (k & ~15u) | (k & 1) | (k >> 1 & 6) | (k << 2 & 8);
  }

  template <unsigned PerLoad, typename Word, typename Address>
  CUDA_TILE_API static void load(Word (&b)[PerLoad][2], Address address) {
    unsigned pairs[4];
    platform::load_matrices<4, true>(pairs, [&](unsigned lane) { return address(lane, 0); });
    CUDA_TILE_UNROLL
    for (unsigned j = 0; j < PerLoad; ++j)
      CUDA_TILE_UNROLL
    for (unsigned i = 0; i < 2; ++i)
      b[j][i] = platform::select_bytes(pairs[2 * i], pairs[2 * i + 1], j == 0 ? 0x6420 : 0x7531);
  }
};

/// Elements that fill a word, staged likewise: up to 16 bytes of neighbouring columns are loaded at once.
template <typename C>
struct load_words {
  static constexpr unsigned group = 0;
  template <unsigned Run>
  static constexpr unsigned adjacent = least(Run / 2, 16 / sizeof(C));
  template <unsigned Run>
  static constexpr unsigned per_load = adjacent<Run>;

  template <unsigned Run>
  CUDA_TILE_CONSTEXPR static staged_index lane_index(unsigned lane) {
    return {lane % 4, lane / 8 * Run + lane / 4 % 2 * adjacent<Run>};
  }
  template <unsigned Run>
  CUDA_TILE_CONSTEXPR static unsigned column(unsigned n) {
    constexpr unsigned per_run = Run / 2;
    return n / per_run * 4 * Run + n % per_run * 2;
  }
  CUDA_TILE_CONSTEXPR static unsigned row_place(unsigned k) { return k; }

  template <unsigned PerLoad, typename Word, typename Address>
  CUDA_TILE_API static void load(Word (&b)[PerLoad][2], Address address) {
    CUDA_TILE_UNROLL
    for (unsigned i = 0; i < 2; ++i) {
      Word words[PerLoad];
      platform::load_aligned<PerLoad * sizeof(Word)>(words, address(platform::thread() % 32, 4 * i));
      CUDA_TILE_UNROLL
      for (unsigned j = 0; j < PerLoad; ++j)
        b[j][i] = words[j];
    }
  }
};

/// Elements of any size of a transposed operand, staged by columns, as the left operand is staged by rows.
template <typename C, unsigned PerWord>
struct load_columns {
  static constexpr unsigned group = 2;
  template <unsigned Run>
  static constexpr unsigned adjacent = 1;
  template <unsigned Run>
  static constexpr unsigned per_load = sizeof(C) == 4 ? least(Run / 2, 2) : 1;

  template <unsigned Run>
  CUDA_TILE_CONSTEXPR static staged_index lane_index(unsigned lane) {
    if constexpr (sizeof(C) == 4)
      return {lane / 8 % 2 * 4 * PerWord, lane / 16 * 8 + lane % 8};
    else
      return {lane % 4, lane / 4};
  }
  template <unsigned Run>
  CUDA_TILE_CONSTEXPR static unsigned column(unsigned n) {
    return n * 8;
  }

  template <unsigned PerLoad, typename Word, typename Address>
  CUDA_TILE_API static void load(Word (&b)[PerLoad][2], Address address) {
    if constexpr (sizeof(Word) == 4) {
      platform::load_matrices<2 * PerLoad, false>(&b[0][0], [&](unsigned lane) { return address(lane, 0); });
    } else {
      b[0][0] = *address(platform::thread() % 32, 0);
      b[0][1] = *address(platform::thread() % 32, 4);
    }
  }
};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
