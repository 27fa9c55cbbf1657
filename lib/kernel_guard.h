// Runs kernels so that a fault ends a block instead of the process, and a block can be abandoned before its
// end. The launching thread is interrupted periodically to check for Ctrl-C (watch.h).
//
// The only lock that a kernel holds is the one for printing. It can therefore be abandoned anywhere else by a
// jump from the signal handler back to the launcher. Its local variables are not destroyed, and arrays stay
// as they are.
#pragma once

#include "fault.h"
#include "fiber.h"
#include "launch.h"

#include <csignal>

namespace cuda_tile_launcher {

/// Guards the blocks that one thread runs.
class KernelGuard {
public:
  /// For a runner that belongs to the calling thread.
  explicit KernelGuard(Launch& launch) noexcept;

  /// Resumes a fiber that runs `block`: see Fiber::resume(). Also false if the kernel faulted or was given
  /// up; has_left() is then true.
  bool resume(Fiber& fiber, const cuda_tile_block& block) noexcept;
  /// Called by the kernel to return to the caller of resume().
  void suspend() noexcept;
  /// Called by the kernel to let another suspended fiber of the same block go on in the place of this one.
  void hand_over(Fiber& to) noexcept;
  /// Whether nobody waits for resume() to return.
  bool may_hand_over() const noexcept {
    return !is_asked_ && !launch_.is_given_up() && Fiber::can_hand_over();
  }
  /// The fiber that ran last.
  Fiber& fiber() const noexcept { return *fiber_; }
  bool has_left() const noexcept { return fault_ != 0 || is_given_up_; }
  /// Ends the kernel that the calling thread runs, and with it the launch: called by the kernel itself.
  /// Returns false if it runs none.
  static bool stop(const char* text, int reason) noexcept;
  /// The block that the calling thread runs; null if it runs none.
  static const cuda_tile_block* running() noexcept;
  /// If there was a fault, ends the launch with an error for the block at this place in the order.
  void report(std::uint64_t ordinal);

private:
  static bool on_fault(const siginfo_t& signal, const void* context);
  static bool on_pause(const siginfo_t& signal, const void* context);
  void print(const Calls& calls) noexcept;

  Launch& launch_;
  Fiber* fiber_ = nullptr;
  const cuda_tile_block* block_ = nullptr;
  unsigned control_ = 0; // the floating point control word
  bool is_given_up_ = false;
  // Set by the signal handlers.
  volatile std::sig_atomic_t is_asked_ = 0, is_paused_ = 0, fault_ = 0;
};

} // namespace cuda_tile_launcher
