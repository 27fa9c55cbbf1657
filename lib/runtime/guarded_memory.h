// Memory that ends at a page without access, and that loses its own when it is freed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>

namespace cuda_tile_runtime {

class GuardedMemory {
public:
  /// Memory aligned to 256 bytes if its size is a multiple of that; otherwise to what its size is a multiple
  /// of, and to 16 at least. Null if there is none.
  void* allocate(std::size_t bytes);
  /// Returns false if it did not allocate the memory.
  bool free(void* pointer);

  struct Freed {
    std::uintptr_t address;
    std::size_t bytes;
  };
  /// What was freed last at an address; null if nothing was.
  const Freed* find_freed(std::uintptr_t address) const;

private:
  struct Mapping {
    void* begin;
    std::size_t bytes; // with the guard
    std::size_t used;
  };
  void forget_oldest();

  std::map<void*, Mapping> mappings_; // by what allocate() returned
  std::deque<Freed> freed_;
  std::deque<Mapping> freed_mappings_;
};

} // namespace cuda_tile_runtime
