// The driver's interface over the run time's.
#include "cuda_tile/runtime/driver.h"

#include "driver_calls.h"
#include "launch.h"

#include "cuda_tile/runtime/overloads.h"

#include <cstdio>

namespace cuda_tile_runtime {

std::atomic<bool>& driver_is_initialized() {
  static constinit std::atomic<bool> is_initialized{false};
  return is_initialized;
}

std::vector<CUcontext>& current_contexts() {
  thread_local std::vector<CUcontext> stack;
  return stack;
}

CUresult result_of(cudaError_t error) {
  switch (error) {
  case cudaErrorInvalidConfiguration:
  case cudaErrorInvalidPitchValue:
  case cudaErrorInvalidMemcpyDirection:
    return CUDA_ERROR_INVALID_VALUE;
  case cudaErrorInvalidDeviceFunction:
    return CUDA_ERROR_INVALID_HANDLE;
  default:
    return static_cast<CUresult>(error);
  }
}

} // namespace cuda_tile_runtime

using namespace cuda_tile_runtime;

namespace {

/// Contexts that are created, and the primary one, are all the same.
char the_context;
CUcontext context_handle() { return reinterpret_cast<CUcontext>(&the_context); }

void* as_pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

constexpr struct {
  CUresult result;
  const char* name;
} results[] = {
#define CUDA_TILE_RESULT(name, number) {name, #name},
#include "cuda_tile/runtime/results.inc"
#undef CUDA_TILE_RESULT
};

bool is_attribute(CUdevice_attribute attribute) {
  switch (attribute) {
#define CUDA_TILE_ATTRIBUTE(name, number) case CU_DEVICE_ATTRIBUTE_##name:
#include "cuda_tile/runtime/driver_attributes.inc"
#undef CUDA_TILE_ATTRIBUTE
    return true;
  default:
    return false;
  }
}

const char* name_of(CUresult result) {
  for (const auto& each : results)
    if (each.result == result)
      return each.name;
  return nullptr;
}

} // namespace

extern "C" {

CUresult cuInit(unsigned flags) {
  if (flags != 0)
    return CUDA_ERROR_INVALID_VALUE;
  driver_is_initialized() = true;
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) { return result_of(give(version, CUDA_VERSION)); }

CUresult cuGetErrorName(CUresult error, const char** name) {
  if (!name)
    return CUDA_ERROR_INVALID_VALUE;
  *name = name_of(error);
  return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  if (!text)
    return CUDA_ERROR_INVALID_VALUE;
  *text = name_of(error) ? cudaGetErrorString(static_cast<cudaError_t>(error)) : nullptr;
  return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetCount(int* count) {
  return of_driver([&] { return cudaGetDeviceCount(count); });
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return of_driver([&] { return ordinal == 0 ? give(device, 0) : cudaErrorInvalidDevice; });
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  return of_driver([&] {
    cudaDeviceProp of;
    if (!name || length <= 0)
      return cudaErrorInvalidValue;
    const cudaError_t error = cudaGetDeviceProperties(&of, device);
    if (error == cudaSuccess)
      std::snprintf(name, static_cast<std::size_t>(length), "%s", of.name);
    return error;
  });
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  const CUresult result = of_driver(
      [&] { return cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device); });
  if (result != CUDA_ERROR_INVALID_VALUE || !value || !is_attribute(attribute))
    return result;
  *value = attribute == CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED; // the driver's alone
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
  return of_driver([&] {
    size_t free;
    return device == 0 ? cudaMemGetInfo(&free, bytes) : cudaErrorInvalidDevice;
  });
}

// ---- contexts --------------------------------------------------------------------------------------------

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return of_driver([&] { return device == 0 ? give(context, context_handle()) : cudaErrorInvalidDevice; });
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return of_driver([&] { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; });
}

CUresult cuCtxDestroy(CUcontext context) {
  return of_driver([&] {
    if (context != context_handle())
      return cudaErrorDeviceUninitialized;
    if (!current_contexts().empty() && current_contexts().back() == context)
      current_contexts().pop_back();
    return cudaSuccess;
  });
}

CUresult cuCtxSetCurrent(CUcontext context) {
  return of_driver([&] {
    if (context && context != context_handle())
      return cudaErrorDeviceUninitialized;
    if (!current_contexts().empty())
      current_contexts().pop_back();
    if (context)
      current_contexts().push_back(context);
    return cudaSuccess;
  });
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  return of_driver(
      [&] { return give(context, current_contexts().empty() ? nullptr : current_contexts().back()); });
}

CUresult cuCtxPushCurrent(CUcontext context) {
  return of_driver([&] {
    if (context != context_handle())
      return cudaErrorDeviceUninitialized;
    current_contexts().push_back(context);
    return cudaSuccess;
  });
}

CUresult cuCtxPopCurrent(CUcontext* context) {
  return in_context([&] {
    if (context)
      *context = current_contexts().back();
    current_contexts().pop_back();
    return cudaSuccess;
  });
}

CUresult cuCtxGetDevice(CUdevice* device) {
  return in_context([&] { return give(device, 0); });
}

CUresult cuCtxSynchronize() {
  return in_context([] { return cudaDeviceSynchronize(); });
}

// ---- memory ----------------------------------------------------------------------------------------------

CUresult cuMemAlloc(CUdeviceptr* pointer, size_t bytes) {
  return in_context([&] { // unlike cudaMalloc, it refuses to allocate nothing
    return bytes == 0 ? cudaErrorInvalidValue : cudaMalloc(reinterpret_cast<void**>(pointer), bytes);
  });
}

CUresult cuMemAllocManaged(CUdeviceptr* pointer, size_t bytes, unsigned flags) {
  return in_context([&] { return cudaMallocManaged(reinterpret_cast<void**>(pointer), bytes, flags); });
}

CUresult cuMemFree(CUdeviceptr pointer) {
  return in_context([&] { return cudaFree(as_pointer(pointer)); });
}

CUresult cuMemAllocHost(void** pointer, size_t bytes) {
  return in_context([&] { return bytes == 0 ? cudaErrorInvalidValue : cudaHostAlloc(pointer, bytes, 0); });
}

CUresult cuMemFreeHost(void* pointer) {
  return in_context([&] { return cudaFreeHost(pointer); });
}

CUresult cuMemGetInfo(size_t* free, size_t* total) {
  return in_context([&] { return cudaMemGetInfo(free, total); });
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return in_context([&] { return cudaMemcpy(as_pointer(to), as_pointer(from), bytes, cudaMemcpyDefault); });
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
  return in_context([&] { return cudaMemcpy(as_pointer(to), from, bytes, cudaMemcpyHostToDevice); });
}

CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
  return in_context([&] { return cudaMemcpy(to, as_pointer(from), bytes, cudaMemcpyDeviceToHost); });
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return in_context(
      [&] { return cudaMemcpy(as_pointer(to), as_pointer(from), bytes, cudaMemcpyDeviceToDevice); });
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return in_context(
      [&] { return cudaMemcpyAsync(as_pointer(to), from, bytes, cudaMemcpyHostToDevice, stream); });
}

CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return in_context(
      [&] { return cudaMemcpyAsync(to, as_pointer(from), bytes, cudaMemcpyDeviceToHost, stream); });
}

// ---- streams and events ----------------------------------------------------------------------------------

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  return in_context([&] { return cudaStreamCreateWithFlags(stream, flags); });
}

CUresult cuStreamDestroy(CUstream stream) {
  return in_context([&] { return cudaStreamDestroy(stream); });
}

CUresult cuStreamSynchronize(CUstream stream) {
  return in_context([&] { return cudaStreamSynchronize(stream); });
}

CUresult cuStreamQuery(CUstream stream) {
  return in_context([&] { return cudaStreamQuery(stream); });
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return in_context([&] { return cudaStreamWaitEvent(stream, event, flags); });
}

CUresult cuEventCreate(CUevent* event, unsigned flags) {
  return in_context([&] { return cudaEventCreateWithFlags(event, flags); });
}

CUresult cuEventDestroy(CUevent event) {
  return in_context([&] { return cudaEventDestroy(event); });
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return in_context([&] { return cudaEventRecord(event, stream); });
}

CUresult cuEventSynchronize(CUevent event) {
  return in_context([&] { return cudaEventSynchronize(event); });
}

CUresult cuEventQuery(CUevent event) {
  return in_context([&] { return cudaEventQuery(event); });
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  return in_context([&] { return cudaEventElapsedTime(milliseconds, start, end); });
}

// ---- kernels ---------------------------------------------------------------------------------------------

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* symbol) {
  return call([&] {
    if (!kernel_of(symbol))
      return cudaErrorInvalidDeviceFunction;
    return give(function, reinterpret_cast<cudaFunction_t>(const_cast<void*>(symbol)));
  });
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  return in_context([&] {
    cudaFuncAttributes all;
    const cudaError_t error = cudaFuncGetAttributes(&all, static_cast<const void*>(function));
    if (error != cudaSuccess)
      return error;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return give(value, all.maxThreadsPerBlock);
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      return give(value, 0);
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      return give(value, all.numRegs);
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      return give(value, all.maxDynamicSharedSizeBytes);
    default:
      return cudaErrorInvalidValue;
    }
  });
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return in_context([&] {
    return cudaFuncSetAttribute(static_cast<const void*>(function), static_cast<cudaFuncAttribute>(attribute),
                                value);
  });
}

namespace {

/// The addresses of the arguments that `extra` has in one piece of memory; none if it is not well-formed.
std::vector<void*> unpacked(void* const* extra, const cuda_tile_program_kernel& kernel) {
  char* buffer = nullptr;
  std::size_t bytes = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2)
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = static_cast<char*>(extra[1]);
    else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
      bytes = *static_cast<const std::size_t*>(extra[1]);
    else
      return {};
  const std::vector<std::size_t> offsets = parameter_offsets(kernel);
  if (!buffer || bytes < offsets.back())
    return {};
  std::vector<void*> addresses;
  for (const std::size_t offset : offsets)
    addresses.push_back(buffer + offset);
  return addresses;
}

} // namespace

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                        unsigned blockY, unsigned blockZ, unsigned sharedBytes, CUstream stream,
                        void** arguments, void** extra) {
  return in_context([&] {
    std::vector<void*> addresses;
    if (extra) {
      const Kernel* const kernel = kernel_of(static_cast<const void*>(function));
      if (!kernel)
        return cudaErrorInvalidResourceHandle;
      addresses = unpacked(extra, kernel->compiled);
      if (arguments || addresses.empty())
        return cudaErrorInvalidValue;
      arguments = addresses.data();
    }
    return cudaLaunchKernel(static_cast<const void*>(function), dim3(gridX, gridY, gridZ),
                            dim3(blockX, blockY, blockZ), arguments, sharedBytes, stream);
  });
}
}

CUresult cuCtxCreate(CUcontext* context, unsigned, CUdevice device) {
  return of_driver([&] {
    if (device != 0)
      return cudaErrorInvalidDevice;
    const cudaError_t error = give(context, context_handle());
    if (error == cudaSuccess)
      current_contexts().push_back(context_handle());
    return error;
  });
}
