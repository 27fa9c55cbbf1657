// Functions that run on stacks of their own and can be suspended, and a store that keeps fibers for reuse.
#pragma once

#include "fixed_text.h"
#include "stack.h"

#include <csetjmp>
#include <memory>
#include <mutex>
#include <vector>

namespace cuda_tile_launcher {

/// Runs one function at a time on its own stack. A switch takes nanoseconds and makes no system call.
class Fiber {
public:
  using Function = void (*)(void*);

  /// Returns null if there is no address space even for a small stack.
  static std::unique_ptr<Fiber> create(std::size_t stack_bytes, std::size_t guard_bytes);

  /// Sets the function that the next resume() starts. The fiber must be new, finished or abandoned.
  void start(Function function, void* argument) noexcept;
  /// Runs the function until it suspends (returns false) or ends (returns true).
  bool resume() noexcept;
  /// Called by the function to return to the caller of resume().
  void suspend() noexcept;
  /// Called by a signal handler that interrupted the function: resume() returns false; abandon() must follow.
  [[noreturn]] void leave() noexcept;
  /// Forgets a suspended function; its local variables are not destroyed.
  void abandon() noexcept { prepare(); }
  void trim(std::size_t kept) noexcept { stack_.trim(kept); }
  bool is_finished() const noexcept { return finished_; }
  const Stack& stack() const noexcept { return stack_; }
  /// What a signal handler reports about the function.
  FixedText& note() noexcept { return note_; }

private:
  static void main(unsigned low, unsigned high);
  void prepare() noexcept;

  Stack stack_;
  FixedText note_;
  Function function_ = nullptr;
  void* argument_ = nullptr;
  bool finished_ = true;
  jmp_buf own_;     // where the fiber continues
  jmp_buf resumer_; // where resume() continues
  // For AddressSanitizer.
  void* kept_ = nullptr;
  const void* resumer_stack_ = nullptr;
  std::size_t resumer_stack_size_ = 0;
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
