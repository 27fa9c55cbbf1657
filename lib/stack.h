// Stacks for kernels, which keep whole tiles in local variables: large in address space, small in memory.
#pragma once

#include <cstddef>

namespace cuda_tile_launcher {

/// A range of reserved addresses that gets memory where it is touched, with a guard below it.
class Stack {
public:
  Stack() = default;
  ~Stack();
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  /// Reserves `wanted` bytes, or less (down to 1 MiB) where the system refuses that. False: not even so much.
  bool reserve(std::size_t wanted) noexcept;
  /// Gives the memory of all but the first `kept` bytes of the stack back to the system.
  void trim(std::size_t kept) noexcept;

  void* base() const noexcept { return base_; }
  std::size_t size() const noexcept { return size_; }

private:
  char* base_ = nullptr; // the lowest usable address: stacks grow down to it
  std::size_t size_ = 0;
};

/// Whether the calling thread was given so much new memory since it last asked that its stacks may be worth
/// trimming. Asking costs a tenth of a trim that finds nothing.
bool touched_new_memory() noexcept;

} // namespace cuda_tile_launcher
