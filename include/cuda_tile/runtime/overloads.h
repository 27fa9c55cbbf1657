// The run time's functions that only C++ has: those that know the types of pointers, kernels and variables,
// and those whose signature CUDA 13 changed, which are taken with either.
#pragma once

#include "cuda_tile/runtime/api.h"

#include <type_traits>

// ---- memory ----------------------------------------------------------------------------------------------

template <typename T>
cudaError_t cudaMalloc(T** pointer, size_t size) {
  return ::cudaMalloc(reinterpret_cast<void**>(pointer), size);
}
template <typename T>
cudaError_t cudaMallocManaged(T** pointer, size_t size, unsigned flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged(reinterpret_cast<void**>(pointer), size, flags);
}
template <typename T>
cudaError_t cudaMallocHost(T** pointer, size_t size, unsigned flags = 0) {
  return ::cudaHostAlloc(reinterpret_cast<void**>(pointer), size, flags);
}
template <typename T>
cudaError_t cudaHostAlloc(T** pointer, size_t size, unsigned flags) {
  return ::cudaHostAlloc(reinterpret_cast<void**>(pointer), size, flags);
}
template <typename T>
cudaError_t cudaHostGetDevicePointer(T** devicePointer, void* hostPointer, unsigned flags) {
  return ::cudaHostGetDevicePointer(reinterpret_cast<void**>(devicePointer), hostPointer, flags);
}
template <typename T>
cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width, size_t height) {
  return ::cudaMallocPitch(reinterpret_cast<void**>(pointer), pitch, width, height);
}
template <typename T>
cudaError_t cudaMallocAsync(T** pointer, size_t size, cudaStream_t stream) {
  return ::cudaMallocAsync(reinterpret_cast<void**>(pointer), size, stream);
}
template <typename T>
cudaError_t cudaMallocAsync(T** pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(reinterpret_cast<void**>(pointer), size, pool, stream);
}
template <typename T>
cudaError_t cudaMallocFromPoolAsync(T** pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(reinterpret_cast<void**>(pointer), size, pool, stream);
}
inline cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t count, int device,
                                        cudaStream_t stream = nullptr) {
  const cudaMemLocation to{device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
                           device};
  return ::cudaMemPrefetchAsync(pointer, count, to, 0, stream);
}
inline cudaError_t cudaMemAdvise(const void* pointer, size_t count, cudaMemoryAdvise advice, int device) {
  const cudaMemLocation of{device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
                           device};
  return ::cudaMemAdvise(pointer, count, advice, of);
}

inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
  return {width, height, depth};
}
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
inline cudaPitchedPtr make_cudaPitchedPtr(void* pointer, size_t pitch, size_t xsize, size_t ysize) {
  return {pointer, pitch, xsize, ysize};
}

// ---- variables -------------------------------------------------------------------------------------------

// A variable of type void* is one like all others; the functions that take the address of a variable are
// chosen where it is written as such.

template <typename T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* source, size_t count, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol(static_cast<const void*>(&symbol), source, count, offset, kind);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbol(void* destination, const T& symbol, size_t count, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(destination, static_cast<const void*>(&symbol), count, offset, kind);
}
template <typename T>
cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* source, size_t count, size_t offset = 0,
                                    cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                    cudaStream_t stream = nullptr) {
  return ::cudaMemcpyToSymbolAsync(static_cast<const void*>(&symbol), source, count, offset, kind, stream);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbolAsync(void* destination, const T& symbol, size_t count, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                      cudaStream_t stream = nullptr) {
  return ::cudaMemcpyFromSymbolAsync(destination, static_cast<const void*>(&symbol), count, offset, kind,
                                     stream);
}
template <typename T, typename U>
cudaError_t cudaGetSymbolAddress(U** pointer, const T& symbol) {
  return ::cudaGetSymbolAddress(reinterpret_cast<void**>(pointer), static_cast<const void*>(&symbol));
}
template <typename T>
cudaError_t cudaGetSymbolSize(size_t* size, const T& symbol) {
  return ::cudaGetSymbolSize(size, static_cast<const void*>(&symbol));
}

// ---- events and streams ----------------------------------------------------------------------------------

inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags) {
  return ::cudaEventCreateWithFlags(event, flags);
}
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                       cudaGraphNode_t* errorNode, cudaGraphExecUpdateResult* result) {
  cudaGraphExecUpdateResultInfo info{};
  const cudaError_t error = ::cudaGraphExecUpdate(executable, graph, &info);
  if (errorNode)
    *errorNode = info.errorNode;
  if (result)
    *result = info.result;
  return error;
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                        cudaGraphNode_t* errorNode, char* log, size_t logSize) {
  if (errorNode)
    *errorNode = nullptr;
  if (log && logSize != 0)
    *log = 0;
  return ::cudaGraphInstantiate(executable, graph, 0ull);
}

/// As CUDA 12 has them, without data of edges.
inline cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                    size_t count, cudaGraphNodeParams* parameters) {
  return ::cudaGraphAddNode(node, graph, before, nullptr, count, parameters);
}
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                            const cudaGraphNode_t* to, size_t count) {
  return ::cudaGraphAddDependencies(graph, from, to, nullptr, count);
}
inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                               const cudaGraphNode_t* to, size_t count) {
  return ::cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
}
inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                     size_t* count) {
  return ::cudaGraphGetEdges(graph, from, to, nullptr, count);
}
inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, size_t* count) {
  return ::cudaGraphNodeGetDependencies(node, nodes, nullptr, count);
}
inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                  size_t* count) {
  return ::cudaGraphNodeGetDependentNodes(node, nodes, nullptr, count);
}

// ---- kernels ---------------------------------------------------------------------------------------------

namespace cuda_tile::runtime {
template <typename T>
const void* address_of_kernel(T* kernel) {
  return reinterpret_cast<const void*>(kernel);
}
} // namespace cuda_tile::runtime

template <typename T>
cudaError_t cudaLaunchKernel(T* kernel, dim3 grid, dim3 block, void** arguments, size_t sharedMem = 0,
                             cudaStream_t stream = nullptr) {
  return ::cudaLaunchKernel(cuda_tile::runtime::address_of_kernel(kernel), grid, block, arguments, sharedMem,
                            stream);
}
template <typename T>
cudaError_t cudaLaunchCooperativeKernel(T* kernel, dim3 grid, dim3 block, void** arguments,
                                        size_t sharedMem = 0, cudaStream_t stream = nullptr) {
  return ::cudaLaunchCooperativeKernel(cuda_tile::runtime::address_of_kernel(kernel), grid, block, arguments,
                                       sharedMem, stream);
}
/// Arguments are converted to the kernel's parameters.
template <typename... Parameters, typename... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  return [&](Parameters... values) {
    void* addresses[] = {const_cast<void*>(static_cast<const void*>(&values))..., nullptr};
    return ::cudaLaunchKernelExC(config, cuda_tile::runtime::address_of_kernel(kernel), addresses);
  }(static_cast<Arguments&&>(arguments)...);
}
template <typename T>
cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, T* kernel) {
  return ::cudaGetFuncBySymbol(function, reinterpret_cast<const void*>(kernel));
}
template <typename T>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, T* kernel) {
  return ::cudaFuncGetAttributes(attributes, cuda_tile::runtime::address_of_kernel(kernel));
}
template <typename T>
cudaError_t cudaFuncSetAttribute(T* kernel, cudaFuncAttribute attribute, int value) {
  return ::cudaFuncSetAttribute(cuda_tile::runtime::address_of_kernel(kernel), attribute, value);
}
template <typename T>
cudaError_t cudaFuncSetCacheConfig(T* kernel, cudaFuncCache config) {
  return ::cudaFuncSetCacheConfig(cuda_tile::runtime::address_of_kernel(kernel), config);
}
template <typename T>
cudaError_t cudaFuncGetName(const char** name, T* kernel) {
  return ::cudaFuncGetName(name, cuda_tile::runtime::address_of_kernel(kernel));
}
template <typename T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T kernel, int blockSize,
                                                          size_t dynamicSharedMem) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      blocks, cuda_tile::runtime::address_of_kernel(kernel), blockSize, dynamicSharedMem);
}
template <typename T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, T kernel, int blockSize,
                                                                   size_t dynamicSharedMem, unsigned flags) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, cuda_tile::runtime::address_of_kernel(kernel), blockSize, dynamicSharedMem, flags);
}
template <typename T>
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSharedMem, T kernel, int blocks,
                                                      int blockSize) {
  return ::cudaOccupancyAvailableDynamicSMemPerBlock(
      dynamicSharedMem, cuda_tile::runtime::address_of_kernel(kernel), blocks, blockSize);
}

/// The block size, of the multiples of a warp, with the most threads on a multiprocessor; the largest of
/// several.
template <typename SharedMem, typename T>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* minGridSize, int* blockSize, T kernel,
                                                           SharedMem sharedMemOf, int blockSizeLimit = 0) {
  if (!minGridSize || !blockSize)
    return cudaErrorInvalidValue;
  cudaFuncAttributes attributes;
  cudaError_t status = cudaFuncGetAttributes(&attributes, kernel);
  int device = 0, multiprocessors = 0;
  if (status == cudaSuccess)
    status = cudaGetDevice(&device);
  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (status != cudaSuccess)
    return status;
  int limit = attributes.maxThreadsPerBlock;
  if (blockSizeLimit > 0 && blockSizeLimit < limit)
    limit = blockSizeLimit;
  int most = 0;
  for (int next = (limit + 31) / 32 * 32; next > 0; next -= 32) {
    const int size = next < limit ? next : limit;
    int blocks = 0;
    status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, size, sharedMemOf(size));
    if (status != cudaSuccess)
      return status;
    if (blocks * size > most) {
      most = blocks * size;
      *blockSize = size;
      *minGridSize = blocks * multiprocessors;
    }
  }
  return cudaSuccess;
}
template <typename SharedMem, typename T>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* minGridSize, int* blockSize,
                                                                    T kernel, SharedMem sharedMemOf,
                                                                    int blockSizeLimit = 0, unsigned = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(minGridSize, blockSize, kernel, sharedMemOf,
                                                        blockSizeLimit);
}
template <typename T>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* minGridSize, int* blockSize, T kernel,
                                               size_t dynamicSharedMem = 0, int blockSizeLimit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      minGridSize, blockSize, kernel, [=](int) { return dynamicSharedMem; }, blockSizeLimit);
}
template <typename T>
cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* minGridSize, int* blockSize, T kernel,
                                                        size_t dynamicSharedMem = 0, int blockSizeLimit = 0,
                                                        unsigned = 0) {
  return cudaOccupancyMaxPotentialBlockSize(minGridSize, blockSize, kernel, dynamicSharedMem, blockSizeLimit);
}
