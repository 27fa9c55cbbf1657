// cudaMalloc and its like.
#include "errors.h"
#include "graph.h"
#include "memory_table.h"
#include "stream.h"

#include <algorithm>

using namespace cuda_tile_runtime;

namespace {

constexpr std::size_t pitch_alignment = 512;

cudaError_t allocate(void** pointer, std::size_t bytes, Kind kind, unsigned flags = 0) {
  if (!pointer)
    return cudaErrorInvalidValue;
  *pointer = nullptr;
  refuse_in_capture();
  if (bytes == 0)
    return cudaSuccess;
  *pointer = MemoryTable::instance().allocate(bytes, kind, flags);
  return *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
}

bool is_for_device(Kind kind) { return kind == Kind::device || kind == Kind::managed; }
bool is_for_host(Kind kind) { return kind == Kind::host; }

/// Frees memory that no work uses any more.
cudaError_t release(void* pointer, bool (*wanted)(Kind)) {
  if (!pointer)
    return cudaSuccess;
  refuse_in_capture();
  wait_for_all();
  return MemoryTable::instance().free(pointer, wanted) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t allocate_pitched(void** pointer, std::size_t* pitch, std::size_t width, std::size_t rows) {
  if (!pointer || !pitch)
    return cudaErrorInvalidValue;
  std::size_t bytes;
  *pitch = (width + pitch_alignment - 1) / pitch_alignment * pitch_alignment;
  if (*pitch < width || __builtin_mul_overflow(*pitch, rows, &bytes))
    return cudaErrorMemoryAllocation;
  return allocate(pointer, bytes, Kind::device);
}

/// Whether a pointer is of memory that a graph allocates, and keeps.
bool is_of_graph(const void* pointer) {
  const auto found = MemoryTable::instance().find(pointer);
  return found && found->kind == Kind::device && found->flags == pool_of_graphs &&
         found->address == reinterpret_cast<std::uintptr_t>(pointer);
}

} // namespace

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t size) {
  return call([&] { return allocate(pointer, size, Kind::device); });
}

cudaError_t cudaMallocManaged(void** pointer, size_t size, unsigned flags) {
  return call([&] {
    if (size == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
      return cudaErrorInvalidValue;
    return allocate(pointer, size, Kind::managed);
  });
}

cudaError_t cudaMallocHost(void** pointer, size_t size) {
  return call([&] { return allocate(pointer, size, Kind::host); });
}

cudaError_t cudaHostAlloc(void** pointer, size_t size, unsigned flags) {
  return call([&] {
    constexpr unsigned known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    return flags & ~known ? cudaErrorInvalidValue : allocate(pointer, size, Kind::host, flags);
  });
}

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  return call([&] { return allocate_pitched(pointer, pitch, width, height); });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent) {
  return call([&] {
    std::size_t rows;
    if (!pointer)
      return cudaErrorInvalidValue;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
      return cudaErrorMemoryAllocation;
    pointer->xsize = extent.width;
    pointer->ysize = extent.height;
    return allocate_pitched(&pointer->ptr, &pointer->pitch, extent.width, rows);
  });
}

cudaError_t cudaFree(void* pointer) {
  return call([&] { return is_of_graph(pointer) ? cudaSuccess : release(pointer, is_for_device); });
}

cudaError_t cudaFreeHost(void* pointer) {
  return call([&] { return release(pointer, is_for_host); });
}

// ---- in the order of a stream ----------------------------------------------------------------------------

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t handle) {
  return call([&] {
    const StreamPointer stream = find_stream(handle);
    if (!stream)
      return cudaErrorInvalidResourceHandle;
    const auto found = MemoryTable::instance().find(pointer);
    if (!pointer)
      return cudaSuccess;
    if (!found || found->address != reinterpret_cast<std::uintptr_t>(pointer) || !is_for_device(found->kind))
      return cudaErrorInvalidValue;
    submit(stream, Where::anywhere, cudaGraphNodeTypeMemFree, [=] {
      if (!is_of_graph(pointer))
        MemoryTable::instance().free(pointer, is_for_device);
    });
    return cudaSuccess;
  });
}

// ---- memory of the program's own -------------------------------------------------------------------------

cudaError_t cudaHostRegister(void* pointer, size_t size, unsigned flags) {
  return call([&] {
    constexpr unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory |
                               cudaHostRegisterReadOnly;
    if (!pointer || size == 0 || flags & ~known)
      return cudaErrorInvalidValue;
    return MemoryTable::instance().add(pointer, size, Kind::registered, flags)
               ? cudaSuccess
               : cudaErrorHostMemoryAlreadyRegistered;
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return call([&] {
    if (!pointer)
      return cudaErrorInvalidValue;
    wait_for_all();
    return MemoryTable::instance().remove(pointer, Kind::registered) ? cudaSuccess
                                                                     : cudaErrorHostMemoryNotRegistered;
  });
}

cudaError_t cudaHostGetDevicePointer(void** devicePointer, void* hostPointer, unsigned flags) {
  return call([&] {
    if (!devicePointer || flags != 0)
      return cudaErrorInvalidValue;
    *devicePointer = nullptr;
    const auto found = MemoryTable::instance().find(hostPointer);
    if (!found || (found->kind != Kind::host && found->kind != Kind::registered))
      return cudaErrorInvalidValue;
    *devicePointer = hostPointer;
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer) {
  return call([&] {
    const auto found = MemoryTable::instance().find(pointer);
    if (!flags || !found || (found->kind != Kind::host && found->kind != Kind::registered))
      return cudaErrorInvalidValue;
    *flags = found->flags | cudaHostAllocMapped; // all is, as addresses are the same
    return cudaSuccess;
  });
}

// ---- what is known of memory -----------------------------------------------------------------------------

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return call([&] {
    if (!free || !total)
      return cudaErrorInvalidValue;
    *free = MemoryTable::instance().free_bytes();
    *total = MemoryTable::instance().total_bytes();
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return call([&] {
    if (!attributes)
      return cudaErrorInvalidValue;
    void* const same = const_cast<void*>(pointer);
    const auto found = MemoryTable::instance().find(pointer);
    if (!found)
      *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, same};
    else if (found->kind == Kind::managed)
      *attributes = {cudaMemoryTypeManaged, 0, same, same};
    else if (found->is_for_host())
      *attributes = {cudaMemoryTypeHost, 0, same, same};
    else
      *attributes = {cudaMemoryTypeDevice, 0, same, nullptr};
    return cudaSuccess;
  });
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t count, cudaMemLocation location, unsigned flags,
                                 cudaStream_t stream) {
  return call([&] {
    if (!find_stream(stream))
      return cudaErrorInvalidResourceHandle;
    const auto found = MemoryTable::instance().find(pointer);
    const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
    if (flags != 0 || count == 0 || !found || found->kind != Kind::managed || found->end() - begin < count)
      return cudaErrorInvalidValue;
    if (location.type == cudaMemLocationTypeDevice && location.id != 0)
      return cudaErrorInvalidDevice;
    return cudaSuccess; // it is everywhere already
  });
}

cudaError_t cudaMemAdvise(const void* pointer, size_t count, cudaMemoryAdvise advice,
                          cudaMemLocation location) {
  return call([&] {
    const auto found = MemoryTable::instance().find(pointer);
    const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
    if (count == 0 || !found || found->kind != Kind::managed || found->end() - begin < count ||
        advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy)
      return cudaErrorInvalidValue;
    const bool has_location = advice > cudaMemAdviseUnsetReadMostly;
    if (has_location && location.type == cudaMemLocationTypeDevice && location.id != 0)
      return cudaErrorInvalidDevice;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, size_t, unsigned flags) {
  return call([&] {
    if (!find_stream(stream))
      return cudaErrorInvalidResourceHandle;
    const auto found = MemoryTable::instance().find(pointer);
    if (!found || found->kind != Kind::managed ||
        (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle))
      return cudaErrorInvalidValue;
    return cudaSuccess;
  });
}
}
