#include "device.h"

#include "errors.h"
#include "memory_table.h"
#include "stream.h"

#include "../pool.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace cuda_tile_runtime {

namespace {

constexpr int nanoseconds_in_khz = 1'000'000; // clock64() counts nanoseconds

/// PYCUDA_TILE_COMPUTE_CAPABILITY, such as 8.0 or 80; 9.0 if it is not set.
void set_capability(cudaDeviceProp& of) {
  of.major = 9;
  of.minor = 0;
  const char* const text = std::getenv("PYCUDA_TILE_COMPUTE_CAPABILITY");
  int major = 0, minor = 0;
  if (!text)
    return;
  if (std::sscanf(text, "%d.%d", &major, &minor) == 1) {
    minor = major % 10;
    major /= 10;
  }
  if (major > 0 && minor >= 0) {
    of.major = major;
    of.minor = minor;
  }
}

long system_value([[maybe_unused]] int name) { return std::max(0L, sysconf(name)); }

cudaDeviceProp describe() {
  cudaDeviceProp p{};
  std::strcpy(p.name, "pycuda_tile CPU");
  std::memcpy(p.uuid.bytes, "pycuda_tile cpu", sizeof p.uuid.bytes);
  set_capability(p);
  p.totalGlobalMem = MemoryTable::instance().total_bytes();
  p.sharedMemPerBlock = shared_by_default;
  p.sharedMemPerBlockOptin = most_shared;
  p.sharedMemPerMultiprocessor = shared_of_multiprocessor;
  p.reservedSharedMemPerBlock = reserved_shared;
  p.regsPerBlock = p.regsPerMultiprocessor = registers_of_multiprocessor;
  p.warpSize = 32;
  p.memPitch = 0x7fffffff;
  p.maxThreadsPerBlock = p.maxThreadsDim[0] = p.maxThreadsDim[1] = most_threads;
  p.maxThreadsDim[2] = most_threads_z;
  p.maxGridSize[0] = most_blocks_x;
  p.maxGridSize[1] = p.maxGridSize[2] = most_blocks_yz;
  p.clockRate = nanoseconds_in_khz;
  p.memoryClockRate = nanoseconds_in_khz;
  p.memoryBusWidth = 64;
  p.totalConstMem = 64 << 10;
  p.textureAlignment = p.surfaceAlignment = 512;
  p.texturePitchAlignment = 32;
  p.multiProcessorCount = static_cast<int>(cuda_tile_launcher::Pool::instance().num_workers());
  p.maxThreadsPerMultiProcessor = most_threads_of_multiprocessor;
  p.maxBlocksPerMultiProcessor = most_blocks_of_multiprocessor;
  p.integrated = p.canMapHostMemory = p.unifiedAddressing = p.managedMemory = 1;
  p.concurrentKernels = p.concurrentManagedAccess = p.cooperativeLaunch = 1;
  p.canUseHostPointerForRegisteredMem = p.hostRegisterSupported = p.hostNativeAtomicSupported = 1;
  p.directManagedMemAccessFromHost = p.memoryPoolsSupported = p.streamPrioritiesSupported = 1;
  p.computePreemptionSupported = 1;
  p.singleToDoublePrecisionPerfRatio = 2;
  p.asyncEngineCount = p.deviceOverlap = 1;
#ifdef _SC_LEVEL2_CACHE_SIZE
  p.l2CacheSize = static_cast<int>(system_value(_SC_LEVEL2_CACHE_SIZE));
#endif
  p.deviceNumaId = p.hostNumaId = -1;
  return p;
}

/// The attributes that are fields of the properties; those of textures, and of what there is not, are 0.
int attribute_value(cudaDeviceAttr attribute) {
  const cudaDeviceProp& p = properties();
  switch (static_cast<int>(attribute)) {
#define CUDA_TILE_FIELD(name, field)                                                                         \
  case cudaDevAttr##name:                                                                                    \
    return static_cast<int>(p.field);
#include "device_fields.inc"
#undef CUDA_TILE_FIELD
  default:
    return 0;
  }
}

bool is_attribute(cudaDeviceAttr attribute) {
  switch (static_cast<int>(attribute)) {
#define CUDA_TILE_ATTRIBUTE(name, number) case number:
#include "cuda_tile/runtime/device_attributes.inc"
#undef CUDA_TILE_ATTRIBUTE
    return true;
  default:
    return false;
  }
}

struct Limit {
  cudaLimit name;
  std::atomic<std::size_t> value;
};
Limit limits[] = {{cudaLimitStackSize, {1024}},
                  {cudaLimitPrintfFifoSize, {1 << 20}},
                  {cudaLimitMallocHeapSize, {8 << 20}},
                  {cudaLimitMaxL2FetchGranularity, {64}},
                  {cudaLimitPersistingL2CacheSize, {0}}};

Limit* find_limit(cudaLimit name) {
  const auto found = std::find_if(std::begin(limits), std::end(limits),
                                  [=](const Limit& limit) { return limit.name == name; });
  return found == std::end(limits) ? nullptr : found;
}

constinit std::atomic<unsigned> device_flags{cudaDeviceMapHost};

/// What a setting that changes nothing here returns for its value.
cudaError_t ignore_between(int value, int first, int last) {
  return call([=] { return value < first || value > last ? cudaErrorInvalidValue : cudaSuccess; });
}

/// A call that has one value to give.
template <typename T>
cudaError_t call_giving(T* to, T value) {
  return call([=] { return give(to, value); });
}

} // namespace

const cudaDeviceProp& properties() {
  static const cudaDeviceProp all = describe();
  return all;
}

} // namespace cuda_tile_runtime

using namespace cuda_tile_runtime;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) { return call_giving(count, 1); }

cudaError_t cudaGetDevice(int* device) { return call_giving(device, 0); }

cudaError_t cudaSetDevice(int device) {
  return call([=] { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }

cudaError_t cudaSetValidDevices(int* devices, int count) {
  return call([=] {
    if (count < 0 || (count != 0 && !devices))
      return cudaErrorInvalidValue;
    return std::all_of(devices, devices + count, [](int device) { return device == 0; })
               ? cudaSuccess
               : cudaErrorInvalidDevice;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* to, int device) {
  return call([=] {
    if (!to)
      return cudaErrorInvalidValue;
    if (device != 0)
      return cudaErrorInvalidDevice;
    *to = properties();
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return call([=] {
    if (!value || !is_attribute(attribute))
      return cudaErrorInvalidValue;
    if (device != 0)
      return cudaErrorInvalidDevice;
    *value = attribute_value(attribute);
    return cudaSuccess;
  });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted) {
  return call([=] {
    if (!device || !wanted)
      return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* pciBusId) {
  return call([=] {
    if (!device || !pciBusId)
      return cudaErrorInvalidValue;
    *device = 0;
    return std::strcmp(pciBusId, "0000:00:00.0") == 0 ? cudaSuccess : cudaErrorInvalidDevice;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* pciBusId, int length, int device) {
  return call([=] {
    if (!pciBusId || length < 13)
      return cudaErrorInvalidValue;
    if (device != 0)
      return cudaErrorInvalidDevice;
    std::strcpy(pciBusId, "0000:00:00.0");
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return call([] {
    refuse_in_capture();
    wait_for_all();
    return device_error();
  });
}

cudaError_t cudaDeviceReset() { return cudaDeviceSynchronize(); }

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit name) {
  return call([=] {
    const Limit* const limit = find_limit(name);
    if (!value)
      return cudaErrorInvalidValue;
    if (!limit)
      return cudaErrorUnsupportedLimit;
    *value = limit->value;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetLimit(cudaLimit name, size_t value) {
  return call([=] {
    Limit* const limit = find_limit(name);
    if (!limit)
      return cudaErrorUnsupportedLimit;
    limit->value = value;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return call_giving(config, cudaFuncCachePreferNone);
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return ignore_between(config, cudaFuncCachePreferNone, cudaFuncCachePreferEqual);
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return call_giving(config, cudaSharedMemBankSizeFourByte);
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
  return ignore_between(config, cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeEightByte);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  return call([=] {
    if (leastPriority)
      *leastPriority = 0;
    if (greatestPriority)
      *greatestPriority = greatest_priority;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return call([=] {
    if (flags & ~static_cast<unsigned>(cudaDeviceMask))
      return cudaErrorInvalidValue;
    device_flags = flags | cudaDeviceMapHost;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) { return call_giving(flags, device_flags.load()); }

cudaError_t cudaDeviceCanAccessPeer(int* canAccessPeer, int device, int peerDevice) {
  return call([=] {
    if (!canAccessPeer)
      return cudaErrorInvalidValue;
    *canAccessPeer = 0; // a device is not its own peer
    return device == 0 && peerDevice == 0 ? cudaSuccess : cudaErrorInvalidDevice;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int, unsigned flags) {
  return call([=] { return flags != 0 ? cudaErrorInvalidValue : cudaErrorInvalidDevice; });
}

cudaError_t cudaDeviceDisablePeerAccess(int) {
  return call([] { return cudaErrorInvalidDevice; });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int, int) {
  return call([=] { return value ? cudaErrorInvalidDevice : cudaErrorInvalidValue; }); // needs two devices
}

cudaError_t cudaDriverGetVersion(int* version) { return call_giving(version, CUDART_VERSION); }

cudaError_t cudaRuntimeGetVersion(int* version) { return call_giving(version, CUDART_VERSION); }

cudaError_t cudaProfilerStart() { return cudaSuccess; }

cudaError_t cudaProfilerStop() { return cudaSuccess; }

cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }
}
