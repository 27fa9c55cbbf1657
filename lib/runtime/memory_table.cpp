#include "memory_table.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace cuda_tile_runtime {

namespace {

constexpr std::size_t alignment = 256; // as CUDA promises

std::size_t physical_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page)
                               : std::size_t{4} << 30;
}

std::uintptr_t number(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

} // namespace

MemoryTable& MemoryTable::instance() {
  static auto* const table = new MemoryTable;
  return *table;
}

MemoryTable::MemoryTable() : total_(physical_memory()) {}

void* MemoryTable::allocate(std::size_t bytes, Kind kind, unsigned flags) {
  std::lock_guard lock(mutex_);
  if (bytes > total_ - used_)
    return nullptr;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = is_guarded_ ? guarded_.allocate(bytes) : std::aligned_alloc(alignment, rounded);
  if (!memory)
    return nullptr;
  try {
    allocations_.insert({number(memory), {number(memory), bytes, kind, flags}});
  } catch (...) {
    if (!guarded_.free(memory))
      std::free(memory);
    return nullptr;
  }
  used_ += bytes;
  if (kind == Kind::device && flags != 0)
    used_of_pools_[flags] += bytes;
  return memory;
}

bool MemoryTable::free(void* pointer, bool (*wanted)(Kind)) {
  {
    std::lock_guard lock(mutex_);
    const auto found = allocations_.find(number(pointer));
    if (found == allocations_.end() || !wanted(found->second.kind))
      return false;
    used_ -= found->second.bytes;
    if (found->second.kind == Kind::device && found->second.flags != 0)
      used_of_pools_[found->second.flags] -= found->second.bytes;
    allocations_.erase(found);
    if (guarded_.free(pointer))
      return true;
  }
  std::free(pointer);
  return true;
}

bool MemoryTable::add(const void* pointer, std::size_t bytes, Kind kind, unsigned flags) {
  if (overlaps(pointer, bytes))
    return false;
  std::lock_guard lock(mutex_);
  return allocations_.insert({number(pointer), {number(pointer), bytes, kind, flags}}).second;
}

bool MemoryTable::remove(const void* pointer, Kind kind) {
  std::lock_guard lock(mutex_);
  const auto found = allocations_.find(number(pointer));
  if (found == allocations_.end() || found->second.kind != kind)
    return false;
  allocations_.erase(found);
  return true;
}

const Allocation* MemoryTable::find_locked(std::uintptr_t address) const {
  auto behind = allocations_.upper_bound(address);
  if (behind == allocations_.begin())
    return nullptr;
  const Allocation& last = (--behind)->second;
  return address < last.end() ? &last : nullptr;
}

std::optional<Allocation> MemoryTable::find(const void* pointer) const {
  std::lock_guard lock(mutex_);
  const Allocation* const found = find_locked(number(pointer));
  return found ? std::optional(*found) : std::nullopt;
}

bool MemoryTable::overlaps(const void* pointer, std::size_t bytes) const {
  std::lock_guard lock(mutex_);
  const std::uintptr_t begin = number(pointer);
  if (find_locked(begin))
    return true;
  const auto next = allocations_.lower_bound(begin);
  return next != allocations_.end() && next->first < begin + bytes;
}

std::vector<Allocation> MemoryTable::all() const {
  std::lock_guard lock(mutex_);
  std::vector<Allocation> found;
  for (const auto& [address, allocation] : allocations_)
    found.push_back(allocation);
  return found;
}

std::string MemoryTable::explain(const void* pointer) const {
  const auto hexadecimal = [](std::uintptr_t address) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
    return std::string(text);
  };
  constexpr std::uintptr_t near = 1 << 20;
  std::lock_guard lock(mutex_);
  const std::uintptr_t address = number(pointer);
  if (const auto* const freed = guarded_.find_freed(address))
    return "which is in the " + std::to_string(freed->bytes) + " bytes at " + hexadecimal(freed->address) +
           " that have been freed";
  auto next = allocations_.upper_bound(address);
  if (next == allocations_.begin())
    return "";
  const Allocation& last = std::prev(next)->second;
  if (address < last.end() || address - last.end() > near)
    return "";
  return "which is " + std::to_string(address - last.end()) + " bytes behind the end of the " +
         std::to_string(last.bytes) + " that were allocated at " + hexadecimal(last.address);
}

std::size_t MemoryTable::free_bytes() const {
  std::lock_guard lock(mutex_);
  return total_ - used_;
}

std::size_t MemoryTable::bytes_of_pool(unsigned pool) const {
  std::lock_guard lock(mutex_);
  const auto found = used_of_pools_.find(pool);
  return found == used_of_pools_.end() ? 0 : found->second;
}

} // namespace cuda_tile_runtime
