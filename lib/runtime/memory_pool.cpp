// Memory pools, which only count: memory is allocated and freed at once.
#include "capture.h"
#include "errors.h"
#include "memory_table.h"
#include "stream.h"

#include <algorithm>

using namespace cuda_tile_runtime;

namespace {

struct MemoryPool {
  std::uint64_t release_threshold = 0, most_used = 0;
  int follows_events = 1, is_opportunistic = 1, has_dependencies = 1;
};

struct MemoryPools {
  std::mutex mutex;
  std::map<unsigned, MemoryPool> by_number{{1, {}}}; // 1 is the default pool
  unsigned created = 1;
  unsigned current = 1;
};

/// Never destroyed: destructors of static objects may free memory.
MemoryPools& memory_pools() {
  static auto* const all = new MemoryPools;
  return *all;
}

cudaMemPool_t handle_of(unsigned pool) { return reinterpret_cast<cudaMemPool_t>(std::uintptr_t{pool} << 4); }
unsigned number_of(cudaMemPool_t handle) {
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(handle) >> 4);
}

std::uint64_t used_bytes(unsigned pool) { return MemoryTable::instance().bytes_of_pool(pool); }

cudaError_t allocate_from(void** pointer, std::size_t size, unsigned number, cudaStream_t stream) {
  MemoryPools& pools = memory_pools();
  std::lock_guard lock(pools.mutex);
  const auto pool = pools.by_number.find(number);
  if (!pointer || pool == pools.by_number.end())
    return cudaErrorInvalidValue;
  *pointer = nullptr;
  const StreamPointer in = find_stream(stream);
  if (!in)
    return cudaErrorInvalidResourceHandle;
  if (size == 0)
    return cudaSuccess;
  if (captures != 0 && capture_of(*in)) {
    auto memory = memory_of_node(size);
    *pointer = memory.get();
    submit(in, Where::anywhere, cudaGraphNodeTypeMemAlloc, [] {});
    describe_captured(*in, std::move(memory));
    return cudaSuccess;
  }
  // It is used in the stream, or after it: that is no earlier than now.
  *pointer = MemoryTable::instance().allocate(size, Kind::device, number);
  pool->second.most_used = std::max(pool->second.most_used, used_bytes(number));
  return *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
}

/// Calls `use(pool, number)` for the pool of a handle.
template <typename Use>
cudaError_t with_pool(cudaMemPool_t handle, Use use) {
  return call([&] {
    MemoryPools& pools = memory_pools();
    std::lock_guard lock(pools.mutex);
    const auto found = pools.by_number.find(number_of(handle));
    return found == pools.by_number.end() ? cudaErrorInvalidValue : use(found->second, found->first);
  });
}

/// The attributes that can be set: calls `use(member)`.
template <typename Use>
cudaError_t with_attribute(MemoryPool& pool, cudaMemPoolAttr attribute, Use use) {
  switch (attribute) {
  case cudaMemPoolReuseFollowEventDependencies:
    return use(pool.follows_events);
  case cudaMemPoolReuseAllowOpportunistic:
    return use(pool.is_opportunistic);
  case cudaMemPoolReuseAllowInternalDependencies:
    return use(pool.has_dependencies);
  case cudaMemPoolAttrReleaseThreshold:
    return use(pool.release_threshold);
  case cudaMemPoolAttrUsedMemHigh:
  case cudaMemPoolAttrReservedMemHigh:
    return use(pool.most_used);
  default:
    return cudaErrorInvalidValue;
  }
}

} // namespace

extern "C" {

cudaError_t cudaMallocAsync(void** pointer, size_t size, cudaStream_t stream) {
  return call([&] { return allocate_from(pointer, size, memory_pools().current, stream); });
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  return call([&] { return allocate_from(pointer, size, number_of(pool), stream); });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return call([&] { return device == 0 ? give(pool, handle_of(1)) : cudaErrorInvalidDevice; });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return call(
      [&] { return device == 0 ? give(pool, handle_of(memory_pools().current)) : cudaErrorInvalidDevice; });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return with_pool(pool, [&](MemoryPool&, unsigned number) {
    if (device != 0)
      return cudaErrorInvalidDevice;
    memory_pools().current = number;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return call([&] {
    if (!pool || !properties || properties->allocType != cudaMemAllocationTypePinned)
      return cudaErrorInvalidValue;
    if (properties->handleTypes != cudaMemHandleTypeNone)
      return not_supported("cudaMemPoolCreate for other processes");
    if (properties->location.type != cudaMemLocationTypeDevice || properties->location.id != 0)
      return cudaErrorInvalidValue;
    std::lock_guard lock(memory_pools().mutex);
    memory_pools().by_number[++memory_pools().created];
    *pool = handle_of(memory_pools().created);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return with_pool(pool, [&](MemoryPool&, unsigned number) {
    if (number == 1)
      return cudaErrorInvalidValue;
    if (memory_pools().current == number)
      memory_pools().current = 1;
    memory_pools().by_number.erase(number);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return with_pool(pool, [&](MemoryPool& of, unsigned number) {
    if (!value)
      return cudaErrorInvalidValue;
    if (attribute == cudaMemPoolAttrUsedMemCurrent || attribute == cudaMemPoolAttrReservedMemCurrent)
      return give(static_cast<std::uint64_t*>(value), used_bytes(number));
    return with_attribute(of, attribute,
                          [&]<typename T>(T& member) { return give(static_cast<T*>(value), member); });
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return with_pool(pool, [&](MemoryPool& of, unsigned number) {
    if (!value)
      return cudaErrorInvalidValue;
    return with_attribute(of, attribute, [&]<typename T>(T& member) {
      const T wanted = *static_cast<T*>(value);
      if (&member == static_cast<void*>(&of.most_used)) { // can only be reset
        if (wanted != 0)
          return cudaErrorInvalidValue;
        of.most_used = used_bytes(number);
        return cudaSuccess;
      }
      return give(&member, wanted);
    });
  });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* of, size_t count) {
  return with_pool(pool, [&](MemoryPool&, unsigned) {
    if (count != 0 && !of)
      return cudaErrorInvalidValue;
    for (size_t i = 0; i != count; ++i) // the device cannot be refused its own memory
      if (of[i].location.type != cudaMemLocationTypeDevice || of[i].location.id != 0 ||
          of[i].flags != cudaMemAccessFlagsProtReadWrite)
        return cudaErrorInvalidValue;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* location) {
  return with_pool(pool, [&](MemoryPool&, unsigned) {
    return location && location->type == cudaMemLocationTypeDevice && location->id == 0
               ? give(flags, cudaMemAccessFlagsProtReadWrite)
               : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  return with_pool(pool, [](MemoryPool&, unsigned) { return cudaSuccess; }); // it keeps nothing
}
}
