// Keeps the threads of a launch on different processors.
//
// A scheduler may queue a woken thread behind the one that woke it although another processor is idle (a
// halted virtual processor does not look idle), and takes longer to separate the two than many launches take.
// Threads are only pushed apart: immediately afterwards they may run anywhere again.
#pragma once

#include <pthread.h>
#ifdef __linux__
#include <sched.h>
#endif

namespace cuda_tile_launcher {

/// Where a thread is allowed to run.
class Affinity {
public:
  /// Keeps `thread` off the calling thread's processor until restore(), if another one is allowed. Call this
  /// before waking a sleeping thread, or for the calling thread itself, which then moves away.
  void keep_off_this_cpu(pthread_t thread) noexcept;

  /// Must be called by that thread.
  void restore() noexcept;

private:
  bool is_changed_ = false;
#ifdef __linux__
  cpu_set_t allowed_; // before
#endif
};

/// The processor that the calling thread runs on; -1 if it is not known.
int current_cpu() noexcept;

/// Moves the calling thread to another processor if it runs on this one.
void leave_cpu(int cpu) noexcept;

} // namespace cuda_tile_launcher
