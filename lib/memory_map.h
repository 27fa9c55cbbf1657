// The memory that a checked launch may write: the arrays that were passed to it and the variables of the
// kernel's library. Finds which of them is at an address.
#pragma once

#include "launcher.h"

#include <cstdint>
#include <vector>

namespace cuda_tile_launcher {

inline constexpr unsigned own_variables = ~0u;

/// Memory of one array, of several that overlap, or of all variables of the kernel's library.
struct Region {
  std::uintptr_t begin, end;
  std::uint32_t unit; // bytes of the smallest element
  bool writable;
  unsigned number; // position of its first array among those passed to the launch, or own_variables
};

class MemoryMap {
public:
  /// `library` is where the kernel's library is loaded; null if that is not known.
  MemoryMap(const cuda_tile_array* arrays, unsigned count, const void* library);

  /// The region that contains the address, or else the one that ends there; null if there is none.
  const Region* find(std::uintptr_t address) const noexcept;
  const std::vector<Region>& regions() const noexcept { return regions_; }

private:
  std::vector<Region> regions_; // in ascending order
};

} // namespace cuda_tile_launcher
