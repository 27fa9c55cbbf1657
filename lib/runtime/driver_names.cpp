// Functions of the driver's interface that are the run time's under another name.
#include "driver_calls.h"

#include "cuda_tile/runtime/overloads.h"

using namespace cuda_tile_runtime;

namespace {

void* memory_at(CUdeviceptr address) { return reinterpret_cast<void*>(address); }
const void* handle_of(CUfunction function) { return static_cast<const void*>(function); }

} // namespace

extern "C" {

#define CUDA_TILE_OF_DRIVER(name, parameters, call)                                                          \
  CUresult name parameters {                                                                                 \
    return of_driver([&] { return call; });                                                                  \
  }
#define CUDA_TILE_IN_CONTEXT(name, parameters, call)                                                         \
  CUresult name parameters {                                                                                 \
    return in_context([&] { return call; });                                                                 \
  }
#include "cuda_tile/runtime/driver_calls.inc"
#undef CUDA_TILE_IN_CONTEXT
#undef CUDA_TILE_OF_DRIVER

// ---- devices ---------------------------------------------------------------------------------------------

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  return of_driver([&] {
    const cudaError_t error = cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor, device);
    return error == cudaSuccess ? cudaDeviceGetAttribute(minor, cudaDevAttrComputeCapabilityMinor, device)
                                : error;
  });
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  return of_driver([&] {
    cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    return error == cudaSuccess ? give(uuid, properties.uuid) : error;
  });
}

CUresult cuDeviceCanAccessPeer(int* canAccessPeer, CUdevice device, CUdevice peer) {
  return of_driver([&] { return cudaDeviceCanAccessPeer(canAccessPeer, device, peer); });
}

// ---- memory ----------------------------------------------------------------------------------------------

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return in_context(
      [&] { return cudaMemcpyAsync(memory_at(to), memory_at(from), bytes, cudaMemcpyDefault, stream); });
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return in_context([&] {
    return cudaMemcpyAsync(memory_at(to), memory_at(from), bytes, cudaMemcpyDeviceToDevice, stream);
  });
}

CUresult cuMemAllocAsync(CUdeviceptr* pointer, size_t bytes, CUstream stream) {
  return in_context([&] { return cudaMallocAsync(reinterpret_cast<void**>(pointer), bytes, stream); });
}

CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  return in_context([&] { return cudaFreeAsync(memory_at(pointer), stream); });
}

CUresult cuMemHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  return in_context([&] { return cudaHostAlloc(pointer, bytes, flags); });
}

CUresult cuMemHostRegister(void* pointer, size_t bytes, unsigned flags) {
  return in_context([&] { return cudaHostRegister(pointer, bytes, flags); });
}

CUresult cuMemHostUnregister(void* pointer) {
  return in_context([&] { return cudaHostUnregister(pointer); });
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr* devicePointer, void* pointer, unsigned flags) {
  return in_context(
      [&] { return cudaHostGetDevicePointer(reinterpret_cast<void**>(devicePointer), pointer, flags); });
}

// ---- streams and kernels ---------------------------------------------------------------------------------

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  return in_context([&] { return cudaStreamCreateWithPriority(stream, flags, priority); });
}

CUresult cuStreamGetPriority(CUstream stream, int* priority) {
  return in_context([&] { return cudaStreamGetPriority(stream, priority); });
}

CUresult cuStreamGetFlags(CUstream stream, unsigned* flags) {
  return in_context([&] { return cudaStreamGetFlags(stream, flags); });
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return in_context([&] { return cudaDeviceGetStreamPriorityRange(least, greatest); });
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* userData) {
  return in_context([&] { return cudaLaunchHostFunc(stream, function, userData); });
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,
                                   unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                                   CUstream stream, void** arguments) {
  return in_context([&] {
    return cudaLaunchCooperativeKernel(handle_of(function), dim3(gridX, gridY, gridZ),
                                       dim3(blockX, blockY, blockZ), arguments, sharedBytes, stream);
  });
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments, void** extra) {
  return in_context([&] {
    if (!config || extra)
      return cudaErrorInvalidValue;
    const cudaLaunchConfig_t same{{config->gridDimX, config->gridDimY, config->gridDimZ},
                                  {config->blockDimX, config->blockDimY, config->blockDimZ},
                                  config->sharedMemBytes,
                                  config->hStream,
                                  config->attrs,
                                  config->numAttrs};
    return cudaLaunchKernelExC(&same, handle_of(function), arguments);
  });
}

CUresult cuFuncGetName(const char** name, CUfunction function) {
  return of_driver([&] { return cudaFuncGetName(name, handle_of(function)); });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int blockSize,
                                                     size_t sharedBytes) {
  return in_context([&] {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, handle_of(function), blockSize, sharedBytes);
  });
}

CUresult cuOccupancyMaxPotentialBlockSize(int* minGridSize, int* blockSize, CUfunction function,
                                          CUoccupancyB2DSize sharedBytesOf, size_t sharedBytes,
                                          int blockSizeLimit) {
  return in_context([&] {
    const auto shared = [=](int size) { return sharedBytesOf ? sharedBytesOf(size) : sharedBytes; };
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(minGridSize, blockSize, handle_of(function), shared,
                                                          blockSizeLimit);
  });
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* isActive) {
  return of_driver([&] {
    if (device != 0 || !flags || !isActive)
      return device != 0 ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    *isActive = !current_contexts().empty();
    return cudaGetDeviceFlags(flags);
  });
}

CUresult cuCtxGetApiVersion(CUcontext, unsigned* version) {
  return of_driver([&] { return give(version, unsigned{CUDA_VERSION}); });
}

CUresult cuStreamGetCtx(CUstream, CUcontext* context) {
  return in_context([&] { return give(context, current_contexts().back()); });
}

CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel, CUdevice) {
  return cuFuncGetAttribute(value, attribute, reinterpret_cast<CUfunction>(kernel));
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice) {
  return cuFuncSetAttribute(reinterpret_cast<CUfunction>(kernel), attribute, value);
}

CUresult cuKernelGetName(const char** name, CUkernel kernel) {
  return cuFuncGetName(name, reinterpret_cast<CUfunction>(kernel));
}
}
