#include "guarded_memory.h"

#include <algorithm>
#include <sys/mman.h>
#include <unistd.h>

namespace cuda_tile_runtime {

namespace {

constexpr std::size_t most_freed = 4096; // that keep their addresses

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

} // namespace

void* GuardedMemory::allocate(std::size_t bytes) {
  const std::size_t alignment = std::clamp<std::size_t>(bytes & (~bytes + 1), 16, 256), page = page_bytes();
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  const std::size_t pages = (rounded + page - 1) / page * page;
  void* const begin = mmap(nullptr, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (begin == MAP_FAILED)
    return nullptr;
  if (mprotect(static_cast<char*>(begin) + pages, page, PROT_NONE) != 0) {
    munmap(begin, pages + page);
    return nullptr;
  }
  void* const memory = static_cast<char*>(begin) + pages - rounded;
  mappings_[memory] = {begin, pages + page, bytes};
  return memory;
}

bool GuardedMemory::free(void* pointer) {
  const auto found = mappings_.find(pointer);
  if (found == mappings_.end())
    return false;
  const Mapping mapping = found->second;
  mappings_.erase(found);
  // The addresses stay taken, so that nothing else is found there.
  mmap(mapping.begin, mapping.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
       0);
  freed_.push_back({reinterpret_cast<std::uintptr_t>(pointer), mapping.used});
  freed_mappings_.push_back(mapping);
  if (freed_.size() > most_freed)
    forget_oldest();
  return true;
}

void GuardedMemory::forget_oldest() {
  munmap(freed_mappings_.front().begin, freed_mappings_.front().bytes);
  freed_mappings_.pop_front();
  freed_.pop_front();
}

const GuardedMemory::Freed* GuardedMemory::find_freed(std::uintptr_t address) const {
  const auto found = std::find_if(freed_.rbegin(), freed_.rend(), [=](const Freed& each) {
    return each.address <= address && address < each.address + each.bytes;
  });
  return found == freed_.rend() ? nullptr : &*found;
}

} // namespace cuda_tile_runtime
