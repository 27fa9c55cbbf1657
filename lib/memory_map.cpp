#include "memory_map.h"

#include <algorithm>
#ifdef __linux__
#include <link.h>
#endif

namespace cuda_tile_launcher {

namespace {

/// Adds the writable memory of a loaded library, as its program headers give it.
void add_variables([[maybe_unused]] const void* library, [[maybe_unused]] std::vector<Region>& regions) {
#ifdef __linux__
  if (!library)
    return;
  const auto& header = *static_cast<const ElfW(Ehdr)*>(library);
  const auto base = reinterpret_cast<std::uintptr_t>(library);
  const auto* const segments = reinterpret_cast<const ElfW(Phdr)*>(base + header.e_phoff);
  const std::uintptr_t start = header.e_type == ET_DYN ? base : 0; // other programs have fixed addresses
  for (const auto* segment = segments; segment != segments + header.e_phnum; ++segment)
    if (segment->p_type == PT_LOAD && segment->p_flags & PF_W) {
      const std::uintptr_t begin = start + segment->p_vaddr;
      regions.push_back({begin, begin + segment->p_memsz, 1, true, own_variables});
    }
#endif
}

} // namespace

MemoryMap::MemoryMap(const cuda_tile_array* arrays, unsigned count, const void* library) {
  std::vector<Region> given;
  add_variables(library, given);
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
