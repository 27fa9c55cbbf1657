// The device, errors, and what is known of kernels.
#include "program.h"

namespace {

__constant__ float constants[4];
int variable = 5;
void unbounded() {}
void bounded() {}
THREADS(unbounded);
THREADS(bounded, 128);

void of_blocks(unsigned* counts, unsigned block) { ++counts[block]; }

} // namespace

CASE(device_properties) {
  const char* const wanted = std::getenv("WANTED_CAPABILITY");
  int count = 0, device = -1, value = 0;
  CHECK_CUDA(cudaGetDeviceCount(&count));
  CHECK_CUDA(cudaGetDevice(&device));
  CHECK(count == 1 && device == 0);
  CHECK_CUDA(cudaSetDevice(0));
  CHECK_ERROR(cudaErrorInvalidDevice, cudaSetDevice(1));
  cudaDeviceProp p;
  CHECK_CUDA(cudaGetDeviceProperties(&p, 0));
  CHECK_ERROR(cudaErrorInvalidDevice, cudaGetDeviceProperties(&p, -1));
  CHECK(std::strcmp(p.name, "pycuda_tile CPU") == 0 && p.warpSize == 32 && p.maxThreadsPerBlock == 1024);
  CHECK(p.totalGlobalMem > (64u << 20) && p.multiProcessorCount >= 1);
  CHECK_CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
  CHECK(value == p.multiProcessorCount);
  CHECK_CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0));
  CHECK(value == p.major && p.major * 10 + p.minor == std::atoi(wanted ? wanted : "90"));
  CHECK_CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrMaxTexture1DWidth, 0));
  CHECK(value == 0);
  CHECK_ERROR(cudaErrorInvalidValue, cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(9999), 0));
  CHECK_ERROR(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 3));
  CHECK_ERROR(cudaErrorInvalidValue, cudaGetDeviceCount(nullptr));
  size_t limit = 0;
  CHECK_CUDA(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1234567));
  CHECK_CUDA(cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize));
  CHECK(limit == 1234567);
  CHECK_CUDA(cudaDeviceCanAccessPeer(&value, 0, 0));
  CHECK(value == 0);
  CHECK_ERROR(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(1, 0));
}

CASE(errors_last_and_names) {
  CHECK_CUDA(cudaGetLastError());
  CHECK_ERROR(cudaErrorInvalidDevice, cudaSetDevice(5));
  CHECK_CUDA(cudaDeviceSynchronize()); // does not clear it
  CHECK_ERROR(cudaErrorInvalidDevice, cudaPeekAtLastError());
  CHECK_ERROR(cudaErrorInvalidDevice, cudaGetLastError());
  CHECK_CUDA(cudaGetLastError());
  CHECK(std::strcmp(cudaGetErrorString(static_cast<cudaError_t>(12345)), "unrecognized error code") == 0);
}

/// Prints the table of errors, for the test to compare.
CASE(errors_table) {
  for (int i = 0; i != 1000; ++i) {
    const auto error = static_cast<cudaError_t>(i);
    if (std::strcmp(cudaGetErrorName(error), "unrecognized error code") != 0)
      std::printf("%d\t%s\t%s\n", i, cudaGetErrorName(error), cudaGetErrorString(error));
  }
}

CASE(variables) {
  static float device_constants[4];
  static const cuda_tile_program_variable registered{"constants", device_constants, 16, cuda_tile_constant};
  cuda_tile_register_variable(&constants, &registered);
  const float values[4] = {1, 2, 3, 4};
  float back[4] = {};
  CHECK_CUDA(cudaMemcpyToSymbol(constants, values, sizeof values));
  CHECK_CUDA(cudaMemcpyToSymbol(constants, values, 4, 12));
  CHECK_CUDA(cudaMemcpyFromSymbol(back, constants, sizeof back));
  CHECK(back[0] == 1 && back[2] == 3 && back[3] == 1 && device_constants[1] == 2);
  void* address = nullptr;
  size_t size = 0;
  CHECK_CUDA(cudaGetSymbolAddress(&address, constants));
  CHECK_CUDA(cudaGetSymbolSize(&size, constants));
  CHECK(address == device_constants && size == 16);
  CHECK_CUDA(cudaMemcpy(address, values, 16, cudaMemcpyHostToDevice));
  CHECK_ERROR(cudaErrorInvalidValue, cudaMemcpyToSymbol(constants, values, 16, 4));
  CHECK_ERROR(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(variable, values, 4));
  CHECK_ERROR(cudaErrorInvalidMemcpyDirection,
              cudaMemcpyToSymbol(constants, values, 4, 0, cudaMemcpyDeviceToHost));
}

CASE(kernel_attributes_and_occupancy) {
  cudaFuncAttributes attributes;
  CHECK_CUDA(cudaFuncGetAttributes(&attributes, bounded));
  CHECK(attributes.maxThreadsPerBlock == 128 && attributes.numRegs > 0);
  int blocks = 0, size = 0, grid = 0;
  CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, unbounded, 256, 0));
  CHECK(blocks == 8);
  CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, unbounded, 32, 48 << 10));
  CHECK(blocks == 4);
  CHECK_CUDA(cudaOccupancyMaxPotentialBlockSize(&grid, &size, bounded));
  CHECK(size == 128 && grid >= 16);
  CHECK_ERROR(cudaErrorInvalidDeviceFunction, cudaFuncGetAttributes(&attributes, &variable));
  CHECK_ERROR(cudaErrorLaunchOutOfResources, program::launch(bounded, 1, 129, 0, nullptr));
  CHECK_ERROR(cudaErrorInvalidValue,
              cudaFuncSetAttribute(unbounded, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
  const char* name = nullptr;
  CHECK_CUDA(cudaFuncGetName(&name, unbounded));
  CHECK(name && std::string(name) == "unbounded");
}

CASE(kernel_of_blocks) {
  program::register_blocks<of_blocks>("of_blocks");
  unsigned* counts = on_device(std::vector<unsigned>(8));
  void* arguments[] = {&counts};
  const auto handle = reinterpret_cast<const void*>(of_blocks);
  CHECK_CUDA(cudaLaunchKernel(handle, 8, 1, arguments, 0, nullptr));
  CHECK(to_host(counts, 8) == std::vector<unsigned>(8, 1));
  CHECK_ERROR(cudaErrorInvalidConfiguration, cudaLaunchKernel(handle, 8, 32, arguments, 0, nullptr));
  CHECK_ERROR(cudaErrorInvalidValue, cudaLaunchKernel(handle, 8, 1, nullptr, 0, nullptr));
  cudaLaunchConfig_t config{};
  config.gridDim = 8;
  config.blockDim = 1;
  CHECK_CUDA(cudaLaunchKernelExC(&config, handle, arguments));
  CHECK(to_host(counts, 8) == std::vector<unsigned>(8, 2));
}
