// The order of the right operand's columns in a row of shared memory.
#pragma once

#include "cuda_tile/threads/distribution_bits.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// ldmatrix gives lane 4 g + q elements g of 8 segments of halves, or of pairs of bytes, but each thread
/// needs the elements of the Run neighbouring columns that it accumulates (threads/distribution_bits.h). So a
/// thread's columns are dealt to the segments in groups of Group; a Group of 0 leaves the order unchanged.
/// Where a thread has fewer neighbours than a group, gaps remain.
template <unsigned Group, unsigned Run>
struct interleave {
  static constexpr unsigned group = Group < Run ? Group : Run;
  static constexpr unsigned gap = Group < Run || Group == 0 ? 1 : Group / Run;
  /// How many neighbours remain neighbours, and so may be stored at once.
  static constexpr unsigned contiguous = Group == 0 ? 16 : gap == 1 ? Group : 1;

  CUDA_TILE_CONSTEXPR static unsigned place(unsigned column) {
    if constexpr (Group == 0) {
      return column;
    } else {
      unsigned const four_runs = column / (4 * Run), q = column / Run % 4, s = column % Run;
      return gap * (four_runs * 4 * Run + s / group * 4 * group + q * group + s % group);
    }
  }
};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
