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
  CHECK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED, device) ==
            CUDA_SUCCESS &&
        value == 1);
  CHECK(cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(100000), device) ==
        CUDA_ERROR_INVALID_VALUE);
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
  CHECK(cuModuleLoad(&module, "/dev/null") == CUDA_ERROR_INVALID_IMAGE);
  CHECK(cuModuleLoad(&module, "/proc") == CUDA_ERROR_FILE_NOT_FOUND);
  CHECK(cuModuleLoadData(&module, "anything") == CUDA_ERROR_INVALID_IMAGE);
  CHECK(cuModuleLoadData(&module, "\x50\xed\x55\xba") == CUDA_ERROR_NO_BINARY_FOR_GPU);
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
    CUlibrary library;
    CUkernel kernel;
    CHECK(cuLibraryLoadFromFile(&library, std::getenv("MODULE"), nullptr, nullptr, 0, nullptr, nullptr, 0) ==
          CUDA_SUCCESS);
    CHECK(cuLibraryGetKernel(&kernel, library, "none") == CUDA_ERROR_NOT_FOUND);
    CHECK(cuLibraryGetKernel(&kernel, library, "add_steps") == CUDA_SUCCESS);
    CHECK(cuMemsetD32(address, 1, 64) == CUDA_SUCCESS);
    CHECK_CUDA(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), 1, 64, arguments, 0, nullptr));
    CHECK(values[0] == 11 && cuLibraryUnload(library) == CUDA_SUCCESS);
    CHECK(cuLibraryUnload(library) == CUDA_ERROR_INVALID_HANDLE);
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

CASE(driver_maps_memory) {
  CUcontext context;
  CHECK(cuInit(0) == CUDA_SUCCESS && cuCtxCreate(&context, nullptr, 0, 0) == CUDA_SUCCESS);
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  size_t unit = 0;
  CHECK(cuMemGetAllocationGranularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM) == CUDA_SUCCESS);
  CUdeviceptr first;
  CUmemGenericAllocationHandle memory;
  CHECK(cuMemAddressReserve(&first, unit + 1, 0, 0, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemAddressReserve(&first, 3 * unit, 0, 0, 0) == CUDA_SUCCESS && first % unit == 0);
  CHECK(cuMemCreate(&memory, unit, &properties, 0) == CUDA_SUCCESS);
  CHECK(cuMemMap(first, unit, 0, memory, 0) == CUDA_SUCCESS);
  CHECK(cuMemMap(first, unit, 0, memory, 0) == CUDA_ERROR_INVALID_VALUE); // something is there
  CHECK(cuMemMap(first + unit, unit, 0, memory, 0) == CUDA_SUCCESS);      // the same memory again
  CHECK(cuMemMap(first + 3 * unit, unit, 0, memory, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemRelease(memory) == CUDA_SUCCESS && cuMemRelease(memory) == CUDA_ERROR_INVALID_VALUE);
  const CUmemAccessDesc both{properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CHECK(cuMemSetAccess(first, 3 * unit, &both, 1) == CUDA_ERROR_INVALID_VALUE); // nothing is in the last part
  CHECK(cuMemSetAccess(first, 2 * unit, &both, 1) == CUDA_SUCCESS);
  unsigned long long access = 0;
  CHECK(cuMemGetAccess(&access, &properties.location, first + 5) == CUDA_SUCCESS && access == 3);
  const int n = 32;
  CHECK(cuMemsetD32(first, 1, n) == CUDA_SUCCESS);
  CHECK_CUDA(program::launch(count_up, 1, n, 0, nullptr, reinterpret_cast<int*>(first + unit), n));
  int value = 0;
  CHECK(cuMemcpyDtoH(&value, first + 4 * (n - 1), 4) == CUDA_SUCCESS && value == 2);
  CHECK(cuMemcpyDtoH(&value, first + 2 * unit - 2, 4) == CUDA_ERROR_INVALID_VALUE); // past the end
  CHECK(cuMemFree(first) == CUDA_ERROR_INVALID_VALUE && cuMemAddressFree(first, 3 * unit) != CUDA_SUCCESS);
  CHECK(cuMemUnmap(first, 2 * unit) == CUDA_SUCCESS && cuMemUnmap(first, unit) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemcpyDtoH(&value, first, 4) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemAddressFree(first, 3 * unit) == CUDA_SUCCESS);
}

CASE(driver_has_pools_and_captures) {
  CUcontext context;
  CUmemoryPool pool;
  CUdeviceptr memory;
  CUstream stream;
  CUgraph graph;
  CUgraphExec executable;
  size_t limit = 0;
  CHECK(cuInit(0) == CUDA_SUCCESS && cuCtxCreate(&context, nullptr, 0, 0) == CUDA_SUCCESS);
  CHECK(cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE) == CUDA_SUCCESS && limit > 0);
  CHECK(cuDeviceGetDefaultMemPool(&pool, 0) == CUDA_SUCCESS);
  const CUmemAccessDesc own{{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  const CUmemAccessDesc other{{CU_MEM_LOCATION_TYPE_DEVICE, 1}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CHECK(cuMemPoolSetAccess(pool, &own, 1) == CUDA_SUCCESS);
  CHECK(cuMemPoolSetAccess(pool, &other, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuStreamCreate(&stream, 0) == CUDA_SUCCESS);
  CHECK(cuMemAllocFromPoolAsync(&memory, 4, pool, stream) == CUDA_SUCCESS);
  CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
  CHECK(cuMemsetD32Async(memory, 7, 1, stream) == CUDA_SUCCESS);
  CHECK(cuStreamEndCapture(stream, &graph) == CUDA_SUCCESS);
  CHECK(cuGraphInstantiate(&executable, graph, 0) == CUDA_SUCCESS);
  CHECK(cuGraphLaunch(executable, stream) == CUDA_SUCCESS && cuStreamSynchronize(stream) == CUDA_SUCCESS);
  CHECK(*reinterpret_cast<int*>(memory) == 7);
  CHECK(cuGraphExecDestroy(executable) == CUDA_SUCCESS && cuGraphDestroy(graph) == CUDA_SUCCESS);
}
