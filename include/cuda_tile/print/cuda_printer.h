// Prints a block's text on a GPU, a line at a time while all other blocks wait, since threads have no memory
// for much text.
#pragma once

#include "cuda_tile/config.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail::printing {

/// One thread of a block prints the text that it adds between begin() and end().
class printer {
public:
  __device__ void begin() {
    while (atomicCAS(&lock(), 0u, 1u) != 0u) {
    }
    __threadfence();
  }
  __device__ void end() {
    flush();
    __threadfence();
    atomicExch(&lock(), 0u);
  }

  __device__ void add(char c) {
    if (length_ == sizeof line_ - 1)
      flush();
    line_[length_++] = c;
    if (c == '\n')
      flush();
  }

private:
  __device__ static unsigned& lock() {
    __device__ static unsigned locked = 0;
    return locked;
  }
  __device__ void flush() {
    line_[length_] = 0;
    if (length_ != 0)
      ::printf("%s", line_);
    length_ = 0;
  }

  char line_[128];
  unsigned length_ = 0;
};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail::printing
