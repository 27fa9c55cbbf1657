// Runs the code of kernels such that a fault ends its block, not the process, and that a block can be left
// before its end. The launching thread is interrupted now and then to ask for Ctrl-C (watch.h).
//
// Kernels hold no locks but that of what they print, so one is left where it is, by a jump from the signal
// handler back to the launcher. Its local variables are not destroyed and arrays stay as they are.
#pragma once

#include "fault.h"
#include "fiber.h"
#include "launch.h"

#include <csignal>

namespace cuda_tile_launcher {

/// The blocks that one thread runs.
class KernelGuard {
public:
  /// Of a runner that the calling thread has.
  explicit KernelGuard(Launch& launch) noexcept;

  /// Fiber::resume() of a fiber that runs `block`. False also where the kernel faulted or was given up, and
  /// has_left().
  bool resume(Fiber& fiber, const cuda_tile_block& block) noexcept;
  bool has_left() const noexcept { return fault_ != 0 || is_given_up_; }
  /// Ends the launch with an error if there was a fault, in the block at this place in the order.
  void report(std::uint64_t ordinal);

private:
  static bool on_fault(const siginfo_t& signal, const void* context);
  static bool on_pause(const siginfo_t& signal, const void* context);
  void print(const Calls& calls) noexcept;

  Launch& launch_;
  Fiber* fiber_ = nullptr;
  const cuda_tile_block* block_ = nullptr;
  unsigned control_ = 0; // of floating point
  bool is_given_up_ = false;
  // What the handlers leave.
  volatile std::sig_atomic_t is_asked_ = 0, is_paused_ = 0, fault_ = 0;
};

} // namespace cuda_tile_launcher
