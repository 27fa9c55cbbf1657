// The driver's interface.
#include "program.h"

#include <cuda.h>

namespace {

void count_up(int* values, int n) {
  if (static_cast<int>(threadIdx.x) < n)
    ++values[threadIdx.x];
}
THREADS(count_up);

} // namespace

CASE(driver_launches_kernels) {
  CUdevice device;
  CUcontext context, current;
  CHECK(cuDeviceGet(&device, 0) == CUDA_ERROR_NOT_INITIALIZED);
  CHECK(cuInit(0) == CUDA_SUCCESS);
  CHECK(cuDeviceGet(&device, 1) == CUDA_ERROR_INVALID_DEVICE);
  CHECK(cuDeviceGet(&device, 0) == CUDA_SUCCESS);
  char name[100];
  int value = 0;
  CHECK(cuDeviceGetName(name, sizeof name, device) == CUDA_SUCCESS && std::string(name) == "pycuda_tile CPU");
  CHECK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device) == CUDA_SUCCESS && value == 32);
  CUdeviceptr memory;
  CHECK(cuMemAlloc(&memory, 64) == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(cuCtxCreate(&context, nullptr, 0, device) == CUDA_SUCCESS);
  CHECK(cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == context);
  CHECK(cuMemAlloc(&memory, 64) == CUDA_SUCCESS);
  CHECK(cuMemsetD32(memory, 41, 16) == CUDA_SUCCESS);
  CUstream stream;
  CUfunction function;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  CHECK_CUDA(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(count_up)));
  int n = 15;
  void* arguments[] = {&memory, &n};
  CHECK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr) == CUDA_SUCCESS);
  CHECK(cuLaunchKernel(function, 0, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(cuStreamSynchronize(stream) == CUDA_SUCCESS);
  int host[16];
  CHECK(cuMemcpyDtoH(host, memory, 64) == CUDA_SUCCESS && host[0] == 42 && host[14] == 42 && host[15] == 41);
  CHECK(cuMemcpyDtoH(host, memory, 65) == CUDA_ERROR_INVALID_VALUE);
  CHECK_CUDA(cudaGetLastError()); // which is the run time's alone
  CHECK(cuMemFree(memory) == CUDA_SUCCESS && cuMemFree(memory) == CUDA_ERROR_INVALID_VALUE);
  const char* text = nullptr;
  CHECK(cuGetErrorName(CUDA_ERROR_INVALID_CONTEXT, &text) == CUDA_SUCCESS &&
        std::string(text) == "CUDA_ERROR_INVALID_CONTEXT");
  CHECK(cuGetErrorString(CUDA_ERROR_INVALID_CONTEXT, &text) == CUDA_SUCCESS &&
        std::string(text) == "invalid device context");
  CHECK(cuGetErrorName(static_cast<CUresult>(12345), &text) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuCtxDestroy(context) == CUDA_SUCCESS && cuCtxSynchronize() == CUDA_ERROR_INVALID_CONTEXT);
}

CASE(driver_modules_are_refused) {
  CUmodule module;
  CHECK(cuModuleLoadData(&module, "\x7f"
                                  "ELF") == CUDA_ERROR_NOT_SUPPORTED);
}
