// A failed assertion in a kernel on the host ends the launch with an error, and not the process. Each library
// of kernels includes this once.
#pragma once

#include "cuda_tile/launch/run_blocks.h"

#include <cassert>

#ifdef __GLIBC__
/// What assert() calls, in the place of the C library's. It is hidden, so that only this library finds it.
/// The launcher catches the trap, and finds the message in the block.
extern "C" [[noreturn]] __attribute__((visibility("hidden"))) void
__assert_fail(char const* expression, char const* file, unsigned line, char const*) noexcept {
  char text[sizeof cuda_tile_block::thrown];
  __builtin_snprintf(text, sizeof text, "assertion failed: %s:%u: %s", file, line, expression);
  if (cuda_tile_block* const block = cuda::tiles::platform::current_block)
    cuda_tile::note_thrown(*block, text);
  else // in code of the host
    __builtin_printf("%s\n", text);
  __builtin_trap();
}
#endif
