// Threads of an OpenMP runtime that something else has loaded into this process, such as PyTorch.
#pragma once

#ifdef __linux__
#include <sched.h>
#endif

namespace cuda_tile_launcher {

/// Calls `work(data, is_first)` on `count` threads of the runtime at once, of which the calling thread is the
/// first, and returns when all calls have. Returns false without having called it where there is no runtime,
/// where it would not use these very threads for its own program, and where that is not safe.
bool run_on_openmp_threads(unsigned count, void (*work)(void* data, bool is_first) noexcept,
                           void* data) noexcept;

/// Around a fork: the runtime's threads end before it, since the child would wait for them forever. The child
/// never uses any.
void release_openmp_threads() noexcept;
void forget_openmp() noexcept;

#ifdef __linux__
/// The processors of a runtime that has bound the calling thread to some of them, as with OMP_PROC_BIND=true;
/// threads that it starts inherit that. False if none has.
bool find_cores_of_openmp(cpu_set_t& cores) noexcept;
#endif

} // namespace cuda_tile_launcher
