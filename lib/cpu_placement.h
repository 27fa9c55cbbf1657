// Keeps the threads of a launch on different processors.
//
// A scheduler may put a thread that is woken behind the one that woke it although another processor is idle
// (virtual ones that are halted do not look it), and takes longer to part the two than many launches take.
// Threads are only pushed apart, and may run anywhere again at once.
#pragma once

#include <pthread.h>
#ifdef __linux__
#include <sched.h>
#endif

namespace cuda_tile_launcher {

/// Where a thread is allowed to run.
class Affinity {
public:
  /// Disallows `thread` the processor of the calling thread, if it has another, until restore(). To be called
  /// before a thread that sleeps is woken, or for the calling thread itself, which moves away.
  void keep_off_this_cpu(pthread_t thread) noexcept;

  /// Called by that thread.
  void restore() noexcept;

private:
  bool is_changed_ = false;
#ifdef __linux__
  cpu_set_t allowed_; // before
#endif
};

/// The processor that the calling thread runs on; -1: not known.
int current_cpu() noexcept;

/// Moves the calling thread to another processor if it runs on this one.
void leave_cpu(int cpu) noexcept;

} // namespace cuda_tile_launcher
