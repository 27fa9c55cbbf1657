// Memory and its addresses, apart from each other: cuMemCreate, cuMemAddressReserve and cuMemMap. Memory is a
// file without a name, which is mapped where addresses are reserved.
#include "driver_calls.h"
#include "memory_table.h"
#include "stream.h"

#include <algorithm>
#include <map>
#include <sys/mman.h>
#include <unistd.h>

using namespace cuda_tile_runtime;

namespace {

constexpr std::size_t granularity = std::size_t{2} << 20;

struct Mapping {
  std::size_t bytes;
  cudaMemAccessFlags access;
};
struct VirtualMemory {
  struct File {
    int descriptor;
    std::size_t bytes;
  };
  std::mutex mutex;
  std::map<CUmemGenericAllocationHandle, File> files;
  std::map<CUdeviceptr, std::size_t> reserved;
  std::map<CUdeviceptr, Mapping> mapped;
  CUmemGenericAllocationHandle created = 0;
};

VirtualMemory& memory() {
  static auto* const all = new VirtualMemory;
  return *all;
}

/// Calls `use(memory)` under its lock.
template <typename Use>
CUresult with_memory(Use use) {
  return in_context_and_call([&] {
    std::lock_guard lock(memory().mutex);
    return use(memory());
  });
}

void* address(CUdeviceptr pointer) { return reinterpret_cast<void*>(pointer); }

bool is_whole(std::size_t bytes) { return bytes != 0 && bytes % granularity == 0; }

bool is_reserved(const VirtualMemory& all, CUdeviceptr pointer, std::size_t bytes) {
  auto next = all.reserved.upper_bound(pointer);
  if (next == all.reserved.begin())
    return false;
  --next;
  const std::size_t offset = pointer - next->first;
  return offset < next->second && bytes <= next->second - offset;
}

/// The mappings that [pointer, pointer + bytes) consists of; throws a Refusal if there are gaps.
std::vector<std::map<CUdeviceptr, Mapping>::iterator> mappings(VirtualMemory& all, CUdeviceptr pointer,
                                                               std::size_t bytes) {
  std::vector<std::map<CUdeviceptr, Mapping>::iterator> found;
  for (CUdeviceptr at = pointer; at != pointer + bytes;) {
    const auto each = all.mapped.find(at);
    if (each == all.mapped.end() || at + each->second.bytes > pointer + bytes)
      throw Refusal{cudaErrorInvalidValue};
    found.push_back(each);
    at += each->second.bytes;
  }
  return found;
}

bool reserve_again(CUdeviceptr pointer, std::size_t bytes) {
  return mmap(address(pointer), bytes, PROT_NONE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
              0) != MAP_FAILED;
}

bool is_of_device(const CUmemLocation& location) {
  return location.type == cudaMemLocationTypeDevice && location.id == 0;
}

} // namespace

extern "C" {

CUresult cuMemGetAllocationGranularity(size_t* bytes, const CUmemAllocationProp* properties,
                                       CUmemAllocationGranularity_flags) {
  return of_driver([&] {
    return properties && is_of_device(properties->location) ? give(bytes, granularity)
                                                            : cudaErrorInvalidValue;
  });
}

CUresult cuMemAddressReserve(CUdeviceptr* pointer, size_t bytes, size_t alignment, CUdeviceptr,
                             unsigned long long flags) {
  return with_memory([&](VirtualMemory& all) {
    alignment = std::max(alignment, granularity);
    if (!pointer || !is_whole(bytes) || (alignment & (alignment - 1)) != 0 || flags != 0)
      return cudaErrorInvalidValue;
    void* const found =
        mmap(nullptr, bytes + alignment, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED)
      return cudaErrorMemoryAllocation;
    const auto first = reinterpret_cast<CUdeviceptr>(found);
    *pointer = (first + alignment - 1) / alignment * alignment;
    if (*pointer != first)
      munmap(found, *pointer - first);
    munmap(address(*pointer + bytes), first + alignment - *pointer);
    all.reserved[*pointer] = bytes;
    return cudaSuccess;
  });
}

CUresult cuMemAddressFree(CUdeviceptr pointer, size_t bytes) {
  return with_memory([&](VirtualMemory& all) {
    const auto found = all.reserved.find(pointer);
    const auto inside = all.mapped.lower_bound(pointer);
    if (found == all.reserved.end() || found->second != bytes ||
        (inside != all.mapped.end() && inside->first < pointer + bytes))
      return cudaErrorInvalidValue;
    munmap(address(pointer), bytes);
    all.reserved.erase(found);
    return cudaSuccess;
  });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes,
                     const CUmemAllocationProp* properties, unsigned long long flags) {
  return with_memory([&](VirtualMemory& all) {
    if (!handle || !properties || !is_whole(bytes) || flags != 0 ||
        properties->type != cudaMemAllocationTypePinned || !is_of_device(properties->location))
      return cudaErrorInvalidValue;
    if (properties->requestedHandleTypes != cudaMemHandleTypeNone)
      return not_supported("cuMemCreate for other processes");
    if (bytes > MemoryTable::instance().free_bytes())
      return cudaErrorMemoryAllocation;
    const int file = memfd_create("cuda_tile_memory", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) {
      if (file >= 0)
        close(file);
      return cudaErrorMemoryAllocation;
    }
    all.files[*handle = ++all.created] = {file, bytes};
    return cudaSuccess;
  });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return with_memory([&](VirtualMemory& all) {
    const auto found = all.files.extract(handle); // what is mapped keeps the memory
    if (!found)
      return cudaErrorInvalidValue;
    close(found.mapped().descriptor);
    return cudaSuccess;
  });
}

CUresult cuMemMap(CUdeviceptr pointer, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  return with_memory([&](VirtualMemory& all) {
    const auto file = all.files.find(handle);
    if (file == all.files.end() || !is_whole(bytes) || pointer % granularity != 0 || offset != 0 ||
        bytes > file->second.bytes || flags != 0 || !is_reserved(all, pointer, bytes) ||
        !MemoryTable::instance().add(address(pointer), bytes, Kind::variable))
      return cudaErrorInvalidValue;
    if (mmap(address(pointer), bytes, PROT_NONE, MAP_FIXED | MAP_SHARED, file->second.descriptor, 0) ==
        MAP_FAILED) {
      MemoryTable::instance().remove(address(pointer), Kind::variable);
      return cudaErrorMemoryAllocation;
    }
    all.mapped[pointer] = {bytes, cudaMemAccessFlagsProtNone};
    return cudaSuccess;
  });
}

CUresult cuMemUnmap(CUdeviceptr pointer, size_t bytes) {
  return with_memory([&](VirtualMemory& all) {
    wait_for_all();
    for (const auto& each : mappings(all, pointer, bytes)) {
      if (!reserve_again(each->first, each->second.bytes))
        return cudaErrorMemoryAllocation;
      MemoryTable::instance().remove(address(each->first), Kind::variable);
      all.mapped.erase(each);
    }
    return cudaSuccess;
  });
}

CUresult cuMemSetAccess(CUdeviceptr pointer, size_t bytes, const CUmemAccessDesc* of, size_t count) {
  return with_memory([&](VirtualMemory& all) {
    if (!of || count != 1 || !is_of_device(of->location))
      return cudaErrorInvalidValue;
    const int access = of->flags == cudaMemAccessFlagsProtReadWrite ? PROT_READ | PROT_WRITE
                       : of->flags == cudaMemAccessFlagsProtRead    ? PROT_READ
                                                                    : PROT_NONE;
    for (const auto& each : mappings(all, pointer, bytes)) {
      if (mprotect(address(each->first), each->second.bytes, access) != 0)
        return cudaErrorMemoryAllocation;
      each->second.access = of->flags;
    }
    return cudaSuccess;
  });
}

CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* location, CUdeviceptr pointer) {
  return with_memory([&](VirtualMemory& all) {
    auto found = all.mapped.upper_bound(pointer);
    if (!location || !is_of_device(*location) || found == all.mapped.begin())
      return cudaErrorInvalidValue;
    --found;
    if (pointer >= found->first + found->second.bytes)
      return cudaErrorInvalidValue;
    return give(flags, static_cast<unsigned long long>(found->second.access));
  });
}
}
