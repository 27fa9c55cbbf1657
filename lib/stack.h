// Stacks for kernels, which keep whole tiles in local variables. They reserve much address space but use
// little memory.
#pragma once

#include <cstddef>

namespace cuda_tile_launcher {

/// A range of reserved addresses that gets memory when touched, with a guard range below it. The guard is
/// large because compilers may touch a large frame anywhere in it, and no frame may step over the guard.
/// Addresses cost nothing.
class Stack {
public:
  Stack() = default;
  ~Stack();
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  /// Reserves `wanted` bytes and a guard. If the system refuses, it tries smaller stacks, down to 1 MiB, with
  /// guards of the same size. Returns false if even that is refused.
  bool reserve(std::size_t wanted, std::size_t guard) noexcept;
  /// Returns the memory of all but the first `kept` bytes of the stack to the system.
  void trim(std::size_t kept) noexcept;

  void* base() const noexcept { return base_; }
  std::size_t size() const noexcept { return size_; }
  bool contains(const void* address) const noexcept { return base_ <= address && address < base_ + size_; }
  /// Whether the address lies in the guard, where a stack overflow faults.
  bool guards(const void* address) const noexcept { return base_ - guard_ <= address && address < base_; }

private:
  bool map(std::size_t size, std::size_t guard) noexcept;

  char* base_ = nullptr; // the lowest usable address: stacks grow down to it
  std::size_t size_ = 0;
  std::size_t guard_ = 0;
};

/// Whether the calling thread has been given so much memory since its last call that trimming its stacks may
/// pay off. A call costs a tenth of a trim that finds nothing.
bool touched_new_memory() noexcept;

} // namespace cuda_tile_launcher
