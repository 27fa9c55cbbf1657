#include "memory_map.h"

#include <algorithm>

namespace cuda_tile_launcher {

MemoryMap::MemoryMap(const cuda_tile_array* arrays, unsigned count) {
  std::vector<Region> given;
  for (unsigned i = 0; i != count; ++i) {
    const auto begin = reinterpret_cast<std::uintptr_t>(arrays[i].address);
    if (arrays[i].bytes != 0)
      given.push_back(
          {begin, begin + arrays[i].bytes, std::max(arrays[i].item_bytes, 1u), arrays[i].writable != 0, i});
  }
  std::sort(given.begin(), given.end(), [](const Region& a, const Region& b) { return a.begin < b.begin; });
  for (const Region& region : given) {
    if (regions_.empty() || region.begin >= regions_.back().end) {
      regions_.push_back(region);
      continue;
    }
    Region& last = regions_.back();
    last.end = std::max(last.end, region.end);
    last.writable = last.writable || region.writable;
    last.unit = std::min(last.unit, region.unit);
    last.number = std::min(last.number, region.number);
  }
}

const Region* MemoryMap::find(std::uintptr_t address) const noexcept {
  const auto behind =
      std::upper_bound(regions_.begin(), regions_.end(), address,
                       [](std::uintptr_t value, const Region& region) { return value < region.begin; });
  if (behind == regions_.begin())
    return nullptr;
  const Region& region = *(behind - 1);
  return address <= region.end ? &region : nullptr;
}

} // namespace cuda_tile_launcher
