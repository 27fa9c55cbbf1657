// The memory that kernels may access: what was allocated or registered, by address.
#pragma once

#include "cuda_tile/runtime/types.h"

#include "guarded_memory.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace cuda_tile_runtime {

enum class Kind : std::uint8_t { device, managed, host, registered, variable };

struct Allocation {
  std::uintptr_t address;
  std::size_t bytes;
  Kind kind;
  unsigned flags; // of cudaHostAlloc and cudaHostRegister; of device memory, the pool that it is from, or 0

  std::uintptr_t end() const { return address + bytes; }
  bool is_for_host() const { return kind != Kind::device && kind != Kind::variable; }
};

class MemoryTable {
public:
  /// The process's table. It is never destroyed, because destructors of static objects may free memory.
  static MemoryTable& instance();

  /// Memory aligned to 256 bytes; null if the device has no more.
  void* allocate(std::size_t bytes, Kind kind, unsigned flags = 0);
  /// Frees what allocate() returned if it is of a kind that is `wanted`; returns whether it was.
  bool free(void* pointer, bool (*wanted)(Kind));

  /// From now on, accesses behind allocations and to freed ones fault: for checked programs.
  void guard() { is_guarded_ = true; }
  /// "which is 4 bytes behind the end of the 400 that were allocated at 0x1000", for the address of a fault;
  /// empty if nothing is near.
  std::string explain(const void* address) const;

  /// Adds memory that is not the table's; false if part of it is in the table.
  bool add(const void* pointer, std::size_t bytes, Kind kind, unsigned flags = 0);
  bool remove(const void* pointer, Kind kind);

  /// What contains the address.
  std::optional<Allocation> find(const void* pointer) const;
  /// What contains part of [pointer, pointer + bytes).
  bool overlaps(const void* pointer, std::size_t bytes) const;
  std::vector<Allocation> all() const;

  std::size_t total_bytes() const { return total_; }
  std::size_t free_bytes() const;
  std::size_t bytes_of_pool(unsigned pool) const;

private:
  MemoryTable();
  const Allocation* find_locked(std::uintptr_t address) const;

  mutable std::mutex mutex_; // guards everything below
  std::map<std::uintptr_t, Allocation> allocations_;
  GuardedMemory guarded_;
  std::atomic<bool> is_guarded_{false};
  std::size_t used_ = 0;
  std::map<unsigned, std::size_t> used_of_pools_;
  const std::size_t total_;
};

} // namespace cuda_tile_runtime
