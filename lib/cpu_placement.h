// Keeps the threads of a launch on different processors.
//
// A scheduler may put a thread that is woken behind the one that woke it although another processor is idle
// (virtual ones that are halted do not look it), and takes longer to part the two than many launches take.
#pragma once

#include <atomic>
#include <cstdint>
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

/// The processors that threads of one launch began to work on.
class OccupiedCpus {
public:
  /// Notes the processor of the calling thread. If another thread has it, moves to a different one.
  void enter() noexcept;

private:
  static constexpr unsigned word_bits = 64, words = 16; // as many as a cpu_set_t names

  /// False: another thread has it.
  bool take(unsigned cpu) noexcept;

  std::atomic<std::uint64_t> taken_[words]{};
};

} // namespace cuda_tile_launcher
