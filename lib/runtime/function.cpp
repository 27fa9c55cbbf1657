// What is known and set of kernels: cudaFuncGetAttributes and occupancy.
#include "device.h"
#include "errors.h"
#include "launch.h"

using namespace cuda_tile_runtime;

namespace {

/// Calls `use(kernel)` for the kernel of a handle.
template <typename Use>
cudaError_t with_kernel(const void* handle, Use use) {
  return call([&] {
    Kernel* const kernel = kernel_of(handle);
    return kernel ? use(*kernel) : cudaErrorInvalidDeviceFunction;
  });
}

constexpr int registers_of_thread = 32; // so that they never limit a launch

} // namespace

extern "C" {

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return with_kernel(function, [&](const Kernel& kernel) {
    if (!attributes)
      return cudaErrorInvalidValue;
    *attributes = {};
    attributes->maxThreadsPerBlock = static_cast<int>(kernel.most_threads());
    attributes->numRegs = registers_of_thread;
    attributes->ptxVersion = attributes->binaryVersion = 10 * properties().major + properties().minor;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(kernel.most_dynamic_shared);
    attributes->preferredShmemCarveout = cudaSharedmemCarveoutDefault;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return with_kernel(function, [&](Kernel& kernel) {
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      if (value < 0 || static_cast<unsigned>(value) > most_shared)
        return cudaErrorInvalidValue;
      kernel.most_dynamic_shared = static_cast<unsigned>(value);
      return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      return value < -1 || value > 100 ? cudaErrorInvalidValue : cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache config) {
  return with_kernel(function, [&](Kernel&) {
    return config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual ? cudaErrorInvalidValue
                                                                                 : cudaSuccess;
  });
}

cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig config) {
  return with_kernel(function, [&](Kernel&) {
    return config < cudaSharedMemBankSizeDefault || config > cudaSharedMemBankSizeEightByte
               ? cudaErrorInvalidValue
               : cudaSuccess;
  });
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return with_kernel(function, [&](const Kernel& kernel) { return give(name, kernel.name.c_str()); });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int blockSize,
                                                          size_t dynamicSharedMem) {
  return with_kernel(function, [&](const Kernel& kernel) {
    if (!blocks || blockSize <= 0)
      return cudaErrorInvalidValue;
    *blocks = static_cast<int>(occupancy(kernel, static_cast<unsigned>(blockSize), dynamicSharedMem));
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                   int blockSize, size_t dynamicSharedMem,
                                                                   unsigned flags) {
  if (flags & ~static_cast<unsigned>(cudaOccupancyDisableCachingOverride))
    return note(cudaErrorInvalidValue);
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, blockSize, dynamicSharedMem);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSharedMem, const void* function,
                                                      int blocks, int blockSize) {
  return with_kernel(function, [&](const Kernel& kernel) {
    if (!dynamicSharedMem || blocks <= 0 || blockSize <= 0)
      return cudaErrorInvalidValue;
    std::size_t bytes = kernel.most_dynamic_shared;
    while (bytes != 0 &&
           occupancy(kernel, static_cast<unsigned>(blockSize), bytes) < static_cast<unsigned>(blocks))
      bytes -= 128;
    *dynamicSharedMem = bytes;
    return cudaSuccess;
  });
}
}
