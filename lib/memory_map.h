// The arrays that were passed to a checked launch, and a search for the one at an address.
#pragma once

#include "launcher.h"

#include <cstdint>
#include <vector>

namespace cuda_tile_launcher {

/// Memory of one array, or of several that overlap.
struct Region {
  std::uintptr_t begin, end;
  std::uint32_t unit; // bytes of the smallest element
  bool writable;
  unsigned number; // position of its first array among those passed to the launch
};

class MemoryMap {
public:
  MemoryMap(const cuda_tile_array* arrays, unsigned count);

  /// The region that contains the address, or else the one that ends there; null if there is none.
  const Region* find(std::uintptr_t address) const noexcept;
  const std::vector<Region>& regions() const noexcept { return regions_; }

private:
  std::vector<Region> regions_; // in ascending order
};

} // namespace cuda_tile_launcher
