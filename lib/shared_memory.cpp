// Shared memory by mmap. No locks are held, as blocks may be abandoned and the process may fork at any time.
#include "shared_memory.h"

#include <cstring>
#include <sys/mman.h>

namespace cuda_tile_launcher {

namespace {

constexpr std::size_t header_bytes = 64, most_kept = std::size_t{64} << 20,
                      worth_huge_pages = std::size_t{4} << 20;

/// The size of a mapping is in front of the memory.
std::size_t& size_of(void* memory) {
  return *reinterpret_cast<std::size_t*>(static_cast<char*>(memory) - header_bytes);
}

/// Stands for memory that there was not enough of: all blocks of a launch get the same answer.
char none;

/// Memory of finished launches.
std::atomic<void*> kept[4];

void unmap(void* memory) { munmap(static_cast<char*>(memory) - header_bytes, size_of(memory)); }

void* map(std::size_t bytes) {
  const std::size_t size = bytes + header_bytes;
  void* const base =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED)
    return nullptr;
#ifdef MADV_HUGEPAGE
  if (size >= worth_huge_pages)
    madvise(base, size, MADV_HUGEPAGE);
#endif
  void* const memory = static_cast<char*>(base) + header_bytes;
  size_of(memory) = size;
  return memory;
}

void* take(std::size_t bytes) {
  for (auto& place : kept) {
    void* memory = place.exchange(nullptr);
    if (memory && size_of(memory) - header_bytes >= bytes)
      return memory;
    if (memory)
      unmap(memory); // one that large takes its place
  }
  return map(bytes);
}

void give_back(void* memory) {
  if (size_of(memory) <= most_kept)
    for (auto& place : kept) {
      void* empty = nullptr;
      if (place.compare_exchange_strong(empty, memory))
        return;
    }
  unmap(memory);
}

} // namespace

SharedMemory::~SharedMemory() {
  for (auto& part : parts_)
    if (void* const memory = part.load(); memory && memory != &none)
      give_back(memory);
}

void* SharedMemory::get_memory(cuda_tile_shared_memory* self, unsigned number, unsigned long long bytes,
                               unsigned long long zeroed) {
  if (number >= cuda_tile_most_shared)
    return nullptr;
  std::atomic<void*>& part = static_cast<SharedMemory*>(self)->parts_[number];
  void* known = part.load(std::memory_order_acquire);
  if (!known) {
    void* const memory = take(bytes);
    if (memory)
      std::memset(memory, 0, zeroed);
    void* const found = memory ? memory : &none;
    if (part.compare_exchange_strong(known, found, std::memory_order_acq_rel))
      known = found;
    else if (memory)
      give_back(memory);
  }
  return known == &none ? nullptr : known;
}

} // namespace cuda_tile_launcher
