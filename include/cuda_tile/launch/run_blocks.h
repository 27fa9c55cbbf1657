// Runs blocks of a kernel on the host, one after the other. An exception that leaves a block ends the launch
// with an error.
#pragma once

#include "cuda_tile/platform/platform.h"

#ifdef __cpp_exceptions
#include <exception>
#endif

namespace cuda_tile::inline CUDA_TILE_ABI {

inline void note_thrown(cuda_tile_block& block, char const* what) {
  unsigned length = 0;
  for (; length < sizeof(block.thrown) - 1 && what[length]; ++length)
    block.thrown[length] = what[length];
  block.thrown[length] = 0;
}

/// Calls `kernel` for each block of a cuda_tile_entry, and tells the launcher what it throws. Exceptions are
/// caught in the library that threw them because the launcher may have a different C++ runtime.
template <typename Kernel>
void run_blocks(cuda_tile_block& block, unsigned count, Kernel kernel) {
  cuda_tile_block*& current = cuda::tiles::platform::current_block;
  current = &block;
  auto run = [&] {
    for (kernel(); --count != 0; kernel())
      const_cast<unsigned volatile&>(block.block[0]) = block.block[0] + 1; // read if the next block faults
  };
#ifdef __cpp_exceptions
  try {
    run();
  } catch (std::exception const& thrown) {
    note_thrown(block, *thrown.what() ? thrown.what() : "one without text");
  } catch (...) {
    note_thrown(block, "not a std::exception");
  }
#else
  run();
#endif
  current = nullptr;
}

} // namespace cuda_tile::inline CUDA_TILE_ABI
