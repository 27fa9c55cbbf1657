// Functions that run on stacks of their own and can be suspended, and a store that keeps fibers for reuse.
#pragma once

#include "fixed_text.h"
#include "stack.h"
#include "switch_stack.h"

#include <memory>
#include <mutex>
#include <vector>

namespace cuda_tile_launcher {

/// Runs one function at a time on its own stack. A switch takes nanoseconds and makes no system call.
class Fiber {
public:
  using Function = void (*)(void*);
  static constexpr std::size_t most_unused = 64 * (4096 + 64); // bytes of a stack

  ~Fiber();

  /// Returns null if there is no address space even for a small stack.
  static std::unique_ptr<Fiber> create(std::size_t stack_bytes, std::size_t guard_bytes);

  /// Sets the function that the next resume() starts. The fiber must be new, finished or abandoned.
  void start(Function function, void* argument) noexcept;
  /// Runs the function until it suspends (returns false) or ends (returns true).
  bool resume() noexcept;
  /// Called by the function to return to the caller of resume().
  void suspend() noexcept;
  /// Called by the function to resume another suspended fiber in its place, whose resume() this was: it
  /// returns to the caller of that. Only where can_hand_over().
  void hand_over(Fiber& to) noexcept;
  static bool can_hand_over() noexcept;
  /// Fetches what a switch to this fiber will need.
  void prefetch() const noexcept { own_.prefetch(); }
  /// Called by a signal handler that interrupted the function: resume() returns false; abandon() must follow.
  [[noreturn]] void leave() noexcept;
  /// Forgets a suspended function; its local variables are not destroyed.
  void abandon() noexcept { prepare(); }
  void trim(std::size_t kept) noexcept { stack_.trim(stack_.size() - usable_ + kept); }
  bool is_finished() const noexcept { return finished_; }
  const Stack& stack() const noexcept { return stack_; }
  /// What a signal handler reports about the function.
  FixedText& note() noexcept { return note_; }

private:
  [[noreturn]] static void main(void* fiber);
  void prepare() noexcept;

  SavedPlace own_;     // where the fiber continues
  SavedPlace resumer_; // where resume() continues
  Function function_ = nullptr;
  void* argument_ = nullptr;
  bool finished_ = true;
  Stack stack_;
  std::size_t usable_ = 0; // bytes of it
  FixedText note_;
  // For sanitizers.
  void* kept_ = nullptr;
  const void* resumer_stack_ = nullptr;
  std::size_t resumer_stack_size_ = 0;
  void *watched_ = nullptr, *watched_resumer_ = nullptr;
};

/// The idle fibers of one stack size. It keeps as many as have ever been in use at once.
class FiberStore {
public:
  FiberStore(std::size_t stack_bytes, std::size_t guard_bytes, std::size_t kept_bytes)
      : stack_bytes_(stack_bytes), guard_bytes_(guard_bytes), kept_bytes_(kept_bytes) {}

  /// Returns null if memory runs out.
  std::unique_ptr<Fiber> take() noexcept;
  /// Keeps a finished fiber; with `trim`, at most `kept_bytes` of its stack's memory.
  void give_back(std::unique_ptr<Fiber> fiber, bool trim) noexcept;

  std::mutex& mutex() noexcept { return mutex_; } // for fork

private:
  const std::size_t stack_bytes_;
  const std::size_t guard_bytes_;
  const std::size_t kept_bytes_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Fiber>> idle_;
};

/// For blocks of one thread, which may keep several tiles of 16 Mi elements at once.
FiberStore& block_fibers();
/// For one of the threads that share a block.
FiberStore& thread_fibers();

} // namespace cuda_tile_launcher
