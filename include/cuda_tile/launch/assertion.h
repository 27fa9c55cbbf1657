// A failed assertion on the host ends the launch with an error, and not the process.
#pragma once

#include "cuda_tile/launch/run_blocks.h"

#include <cassert>

namespace cuda_tile::inline CUDA_TILE_ABI {

/// Leaves the kernel: the launcher catches the trap, and finds the message in the block.
[[noreturn, gnu::cold, gnu::noinline]] inline void fail_assertion(char const* what) {
  cuda_tile_block* const block = cuda::tiles::platform::current_block;
  if (!block) { // in code of the host
    __builtin_printf("%s\n", what);
    __builtin_abort();
  }
  note_thrown(*block, what);
  __builtin_trap();
}

} // namespace cuda_tile::inline CUDA_TILE_ABI

#ifdef __GLIBC__
/// What assert() calls, in the place of the C library's: this one is hidden, so that only kernels find it.
extern "C" [[noreturn]] __attribute__((visibility("hidden"))) void
__assert_fail(char const* expression, char const* file, unsigned line, char const*) noexcept {
  char text[sizeof cuda_tile_block::thrown];
  __builtin_snprintf(text, sizeof text, "assertion failed: %s:%u: %s", file, line, expression);
  cuda_tile::fail_assertion(text);
}
#endif
