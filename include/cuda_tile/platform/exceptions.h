// Exceptions that leave a kernel on the host: they end its launch with an error.
#pragma once

#include "cuda_tile/platform/block.h"

#ifdef __cpp_exceptions
#include <exception>
#endif

namespace cuda_tile {

inline void note_thrown(cuda_tile_block& block, char const* what) {
  unsigned length = 0;
  for (; length < sizeof(block.thrown) - 1 && what[length]; ++length)
    block.thrown[length] = what[length];
  block.thrown[length] = 0;
}

/// Calls `kernel`, and tells the launcher what it throws. It is caught in the library that threw it: the
/// launcher may have a C++ runtime of its own.
template <typename Kernel>
void noting_exceptions([[maybe_unused]] cuda_tile_block& block, Kernel kernel) {
#ifdef __cpp_exceptions
  try {
    kernel();
  } catch (std::exception const& thrown) {
    note_thrown(block, *thrown.what() ? thrown.what() : "one without text");
  } catch (...) {
    note_thrown(block, "not a std::exception");
  }
#else
  kernel();
#endif
}

} // namespace cuda_tile
