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
  int blocks = 0, threads = 0, major = 0, minor = 0;
  CHECK(cuOccupancyMaxPotentialBlockSize(&blocks, &threads, function, nullptr, 0, 100) == CUDA_SUCCESS);
  CHECK(blocks > 0 && threads == 64); // 32 blocks of it fill a multiprocessor
  CHECK(cuDeviceComputeCapability(&major, &minor, device) == CUDA_SUCCESS && major == 9 && minor == 0);
  void* pinned = nullptr;
  CUdeviceptr mapped = 0;
  CHECK(cuMemHostAlloc(&pinned, 8, CU_MEMHOSTALLOC_DEVICEMAP) == CUDA_SUCCESS);
  CHECK(cuMemHostGetDevicePointer(&mapped, pinned, 0) == CUDA_SUCCESS);
  CHECK(cuMemsetD8Async(mapped, 7, 8, stream) == CUDA_SUCCESS && cuStreamSynchronize(stream) == CUDA_SUCCESS);
  CHECK(static_cast<char*>(pinned)[7] == 7 && cuMemFreeHost(pinned) == CUDA_SUCCESS);
  CHECK(cuCtxDestroy(context) == CUDA_SUCCESS && cuCtxSynchronize() == CUDA_ERROR_INVALID_CONTEXT);
}

CASE(driver_copies_and_fills) {
  CUdevice device;
  CUcontext context;
  CHECK(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&device, 0) == CUDA_SUCCESS);
  CHECK(cuCtxCreate(&context, 0, device) == CUDA_SUCCESS);
  CUdeviceptr memory, base;
  size_t pitch = 0, bytes = 0;
  CHECK(cuMemAllocPitch(&memory, &pitch, 6, 8, 3) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemAllocPitch(&memory, &pitch, 6, 8, 4) == CUDA_SUCCESS && pitch >= 6);
  CHECK(cuMemsetD2D8(memory, pitch, 1, 6, 8) == CUDA_SUCCESS);
  CHECK(cuMemsetD2D16(memory + pitch, pitch, 0x203, 3, 2) == CUDA_SUCCESS);
  CHECK(cuMemsetD16(memory + 1, 0, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemsetD32Async(memory, 0x04050607, 1, nullptr) == CUDA_SUCCESS);
  CHECK(cuMemsetD32(memory, 0, 8 * pitch) == CUDA_ERROR_INVALID_VALUE);

  unsigned char host[4][6] = {};
  CUDA_MEMCPY2D rows{};
  rows.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  rows.srcDevice = memory;
  rows.srcPitch = pitch;
  rows.srcXInBytes = 2;
  rows.dstMemoryType = CU_MEMORYTYPE_HOST;
  rows.dstHost = host;
  rows.dstPitch = 6;
  rows.dstY = 1;
  rows.WidthInBytes = 4;
  rows.Height = 3;
  CHECK(cuMemcpy2D(&rows) == CUDA_SUCCESS);
  const unsigned char wanted[4][6] = {{}, {5, 4, 1, 1}, {3, 2, 3, 2}, {3, 2, 3, 2}};
  CHECK(std::memcmp(host, wanted, sizeof host) == 0);
  rows.srcY = 6;
  CHECK(cuMemcpy2D(&rows) == CUDA_ERROR_INVALID_VALUE); // ends behind the memory
  CUDA_MEMCPY3D box{};
  box.srcMemoryType = CU_MEMORYTYPE_HOST;
  box.srcHost = wanted;
  box.srcPitch = 6;
  box.srcHeight = 2;
  box.srcZ = 1; // the third row and the fourth
  box.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  box.dstDevice = memory;
  box.dstPitch = pitch;
  box.WidthInBytes = 4;
  box.Height = 2;
  box.Depth = 1;
  unsigned first = 0;
  CHECK(cuMemcpy3D(&box) == CUDA_SUCCESS && cuMemcpyDtoH(&first, memory, 4) == CUDA_SUCCESS);
  CHECK(first == 0x02030203);

  unsigned type = 0;
  CHECK(cuMemGetAddressRange(&base, &bytes, memory + 3) == CUDA_SUCCESS);
  CHECK(base == memory && bytes == 8 * pitch);
  CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory + 3) == CUDA_SUCCESS &&
        type == CU_MEMORYTYPE_DEVICE);
  CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                              reinterpret_cast<CUdeviceptr>(&type)) == CUDA_ERROR_INVALID_VALUE);
  CUfunction function;
  CHECK_CUDA(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(count_up)));
  int n = 1;
  void* arguments[] = {&memory, &n};
  const CUlaunchConfig config{1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, 0};
  CHECK(cuLaunchKernelEx(&config, function, arguments, nullptr) == CUDA_SUCCESS);
  CHECK(cuMemcpyDtoH(&first, memory, 4) == CUDA_SUCCESS && first == 0x02030204);
}

CASE(driver_modules_are_refused) {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CHECK(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&device, 0) == CUDA_SUCCESS);
  CHECK(cuModuleLoad(&module, "/none") == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(cuCtxCreate(&context, 0, device) == CUDA_SUCCESS);
  CHECK(cuModuleLoad(&module, "/none") == CUDA_ERROR_FILE_NOT_FOUND);
  CHECK(cuModuleLoad(&module, "/proc/self/exe") == CUDA_ERROR_INVALID_IMAGE);
  CHECK(cuModuleLoad(&module, "/dev/null") == CUDA_ERROR_NO_BINARY_FOR_GPU);
  CHECK(cuModuleLoadData(&module, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuModuleLoadData(&module, ".version 8.0") == CUDA_ERROR_NO_BINARY_FOR_GPU);
  CHECK(cuModuleUnload(nullptr) == CUDA_ERROR_INVALID_HANDLE);
}

/// Run with the path of a module that module.cu was compiled to.
CASE(driver_loads_modules) {
  CUdevice device;
  CUcontext context;
  CHECK(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&device, 0) == CUDA_SUCCESS);
  CHECK(cuCtxCreate(&context, 0, device) == CUDA_SUCCESS);
  int* values;
  CHECK_CUDA(cudaMallocManaged(&values, 128 * sizeof(int)));
  const auto address = reinterpret_cast<CUdeviceptr>(values);
  CUmodule modules[2];
  CUfunction function, other;
  for (CUmodule& module : modules) { // each has variables of its own
    CHECK(cuModuleLoad(&module, std::getenv("MODULE")) == CUDA_SUCCESS);
    CHECK(cuModuleGetFunction(&function, module, "add_steps") == CUDA_SUCCESS);
    CHECK(cuModuleGetFunction(&other, module, "_Z3addILi128EEvPi") == CUDA_SUCCESS);
    CHECK(cuModuleGetFunction(&other, module, "step") == CUDA_ERROR_NOT_FOUND);
    CHECK(cuModuleGetFunction(&other, module, "nothing") == CUDA_ERROR_NOT_FOUND);
    struct {
      char count = 5;
      CUdeviceptr to;
    } packed{5, address};
    char count = packed.count;
    void* arguments[] = {&count, &packed.to};
    CHECK(cuMemsetD32(address, 1, 64) == CUDA_SUCCESS);
    CHECK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr) == CUDA_SUCCESS);
    CHECK(values[0] == 11 && values[63] == 11);
    CUdeviceptr step;
    size_t bytes = 0;
    const int seven = 7;
    CHECK(cuModuleGetGlobal(&step, &bytes, module, "step") == CUDA_SUCCESS && bytes == sizeof(int));
    CHECK(cuMemcpyHtoD(step, &seven, bytes) == CUDA_SUCCESS);
    size_t size = sizeof packed;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    CHECK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra) == CUDA_SUCCESS);
    CHECK(values[0] == 46);
    size = 15;
    CHECK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra) ==
          CUDA_ERROR_INVALID_VALUE);
    int most = 0;
    CHECK(cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function) == CUDA_SUCCESS);
    CHECK(most == 64);
    CHECK(cuLaunchKernel(function, 1, 1, 1, 65, 1, 1, 0, nullptr, arguments, nullptr) ==
          CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  }
  CHECK(cuModuleGetFunction(&other, modules[0], "_Z3addILi128EEvPi") == CUDA_SUCCESS);
  CHECK(cuModuleUnload(modules[1]) == CUDA_SUCCESS &&
        cuModuleUnload(modules[1]) == CUDA_ERROR_INVALID_HANDLE);
  void* arguments[] = {&values};
  CHECK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr) ==
        CUDA_ERROR_INVALID_HANDLE);
  values[3] = 1;
  CHECK(cuLaunchKernel(other, 1, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr) == CUDA_SUCCESS);
  CHECK(values[3] == 129);
  CHECK(cuModuleUnload(modules[0]) == CUDA_SUCCESS);
}
