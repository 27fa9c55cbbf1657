// How kernels end a launch: assert() and __trap().
#include "cuda_tile/runtime/device/thread.h"
#include "cuda_tile/runtime/types.h"

#include "../kernel_guard.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>

using cuda_tile_launcher::KernelGuard;

extern "C" {

void cuda_tile_trap() {
  KernelGuard::stop("__trap() was called", cudaErrorLaunchFailure);
  __builtin_trap();
}

/// What assert() calls if its condition does not hold, in the place of the C library's: in a kernel as CUDA
/// has it, elsewhere as the C library has it.
[[noreturn]] void __assert_fail(const char* expression, const char* file, unsigned line,
                                const char* function) noexcept {
  const cuda_tile_block* const block = KernelGuard::running();
  if (block) {
    const uint3 thread = threadIdx; // zero in kernels of tiles
    std::fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file,
                 line, function, block->block[0], block->block[1], block->block[2], thread.x, thread.y,
                 thread.z, expression);
    KernelGuard::stop("", cudaErrorAssert);
  }
  std::fprintf(stderr, "%s%s%s:%u: %s: Assertion `%s' failed.\n", program_invocation_short_name, ": ", file,
               line, function, expression);
  std::abort();
}
}
