// Stacks for kernels, which keep whole tiles in local variables: large in address space, small in memory.
#pragma once

#include <cstddef>

namespace cuda_tile_launcher {

/// A range of reserved addresses that gets memory where it is touched, with a guard below it, which no frame
/// must step over: compilers touch a large one anywhere in it. Addresses cost nothing.
class Stack {
public:
  Stack() = default;
  ~Stack();
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  /// Reserves `wanted` bytes and such a guard. Where the system refuses that, the guard is as large as the
  /// stack, and that is smaller, down to 1 MiB. False: not even so much.
  bool reserve(std::size_t wanted, std::size_t guard) noexcept;
  /// Gives the memory of all but the first `kept` bytes of the stack back to the system.
  void trim(std::size_t kept) noexcept;

  void* base() const noexcept { return base_; }
  std::size_t size() const noexcept { return size_; }
  bool contains(const void* address) const noexcept { return base_ <= address && address < base_ + size_; }
  /// Whether an address lies where a stack runs over.
  bool guards(const void* address) const noexcept { return base_ - guard_ <= address && address < base_; }

private:
  bool map(std::size_t size, std::size_t guard) noexcept;

  char* base_ = nullptr; // the lowest usable address: stacks grow down to it
  std::size_t size_ = 0;
  std::size_t guard_ = 0;
};

/// Whether the calling thread was given so much new memory since it last asked that its stacks may be worth
/// trimming. Asking costs a tenth of a trim that finds nothing.
bool touched_new_memory() noexcept;

} // namespace cuda_tile_launcher
