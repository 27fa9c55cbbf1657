// Functions that run on a stack of their own and can be suspended, and a store that keeps them for reuse.
#pragma once

#include "fixed_text.h"
#include "stack.h"

#include <csetjmp>
#include <memory>
#include <mutex>
#include <vector>

namespace cuda_tile_launcher {

/// One function at a time on a stack of its own. Switching to and fro costs nanoseconds and no system call.
class Fiber {
public:
  using Function = void (*)(void*);

  /// Null where there is no address space for even a small stack.
  static std::unique_ptr<Fiber> create(std::size_t stack_bytes, std::size_t guard_bytes);

  /// Sets what the next resume() begins. The fiber must be new, finished or abandoned.
  void start(Function function, void* argument) noexcept;
  /// Runs the function until it suspends (false) or ends (true).
  bool resume() noexcept;
  /// Called by the function: back to the caller of resume().
  void suspend() noexcept;
  /// Called by a signal handler that interrupted the function: resume() returns false, for abandon().
  [[noreturn]] void leave() noexcept;
  /// Forgets a suspended function; its local variables are not destroyed.
  void abandon() noexcept { prepare(); }
  void trim(std::size_t kept) noexcept { stack_.trim(kept); }
  bool is_finished() const noexcept { return finished_; }
  const Stack& stack() const noexcept { return stack_; }
  /// What a signal handler has to say of the function.
  FixedText& note() noexcept { return note_; }

private:
  static void main(unsigned low, unsigned high);
  void prepare() noexcept;

  Stack stack_;
  FixedText note_;
  Function function_ = nullptr;
  void* argument_ = nullptr;
  bool finished_ = true;
  jmp_buf own_;     // where the fiber goes on
  jmp_buf resumer_; // where resume() goes on
  // For AddressSanitizer.
  void* kept_ = nullptr;
  const void* resumer_stack_ = nullptr;
  std::size_t resumer_stack_size_ = 0;
};

/// Fibers of one stack size that nobody uses at the moment: as many as were ever in use at once.
class FiberStore {
public:
  FiberStore(std::size_t stack_bytes, std::size_t guard_bytes, std::size_t kept_bytes)
      : stack_bytes_(stack_bytes), guard_bytes_(guard_bytes), kept_bytes_(kept_bytes) {}

  /// Null where there is no memory.
  std::unique_ptr<Fiber> take() noexcept;
  /// Keeps a finished fiber; with `trim`, no more than `kept_bytes` of its stack's memory.
  void give_back(std::unique_ptr<Fiber> fiber, bool trim) noexcept;

  std::mutex& mutex() noexcept { return mutex_; } // for fork

private:
  const std::size_t stack_bytes_;
  const std::size_t guard_bytes_;
  const std::size_t kept_bytes_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Fiber>> idle_;
};

/// For blocks of one thread: tiles of 16 Mi elements, several alive at once.
FiberStore& block_fibers();
/// For one of the threads that share a block.
FiberStore& thread_fibers();

} // namespace cuda_tile_launcher
