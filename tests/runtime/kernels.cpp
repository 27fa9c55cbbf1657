// Launches of kernels that are written for one thread.
#include "program.h"

#include <algorithm>
#include <numeric>

namespace {

void nothing() {}
void write_index(int* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n)
    out[i] = i;
}
void places(unsigned* out) { // every index and size of a launch in three dimensions
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  atomicAdd(&out[block * blockDim.x * blockDim.y * blockDim.z + thread], 1);
}
void sum_of_block(const float* in, float* out) {
  static thread_local float part[256];
  const unsigned i = threadIdx.x;
  part[i] = in[blockIdx.x * blockDim.x + i];
  __syncthreads();
  for (unsigned width = blockDim.x / 2; width != 0; width /= 2) {
    if (i < width)
      part[i] += part[i + width];
    __syncthreads();
  }
  if (i == 0)
    out[blockIdx.x] = part[0];
}
void reverse_dynamic(int* data) {
  int* const shared = static_cast<int*>(cuda_tile_dynamic_shared());
  shared[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}
void early_exit(int* counts) {
  if (threadIdx.x % 3 == 0)
    return;
  counts[threadIdx.x] = __syncthreads_count(threadIdx.x % 2);
  counts[threadIdx.x] +=
      1000 * __syncthreads_and(threadIdx.x != 100) + 2000 * __syncthreads_or(threadIdx.x == 1);
}
void meet_all_blocks(int* arrived) { // as kernels do that expect all of their blocks on the GPU at once
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (*const_cast<volatile int*>(arrived) != static_cast<int>(gridDim.x)) {
    }
  }
  __syncthreads();
  atomicAdd(arrived + 1, 1);
}
void null_write(int* p) { *p = 1; }
void divergent() {
  if (threadIdx.x < 16)
    __syncthreads();
  else
    __syncwarp();
}
THREADS(nothing);
THREADS(write_index);
THREADS(places);
THREADS(sum_of_block);
THREADS(reverse_dynamic);
THREADS(early_exit);
THREADS(meet_all_blocks);
THREADS(null_write);
THREADS(divergent);

using program::launch;

} // namespace

CASE(kernel_indices) {
  int* a = on_device(std::vector<int>(1000, -1));
  CHECK_CUDA(launch(write_index, 8, 128, 0, nullptr, a, 1000));
  CHECK_CUDA(cudaDeviceSynchronize());
  const auto got = to_host(a, 1000);
  std::vector<int> wanted(1000);
  std::iota(wanted.begin(), wanted.end(), 0);
  CHECK(got == wanted);
  const dim3 grid(3, 2, 4), block(5, 3, 2);
  unsigned* counts = on_device(std::vector<unsigned>(24 * 30));
  CHECK_CUDA(launch(places, grid, block, 0, nullptr, counts));
  CHECK(to_host(counts, 24 * 30) == std::vector<unsigned>(24 * 30, 1));
}

CASE(kernel_barriers) {
  std::vector<float> values(20 * 256);
  std::iota(values.begin(), values.end(), 0.0f);
  float *in = on_device(values), *out = on_device(std::vector<float>(20));
  CHECK_CUDA(launch(sum_of_block, 20, 256, 0, nullptr, in, out));
  const auto sums = to_host(out, 20);
  for (int b = 0; b != 20; ++b)
    CHECK(sums[b] == 256.0f * (256 * b) + 255 * 128);
  std::vector<int> row(512);
  std::iota(row.begin(), row.end(), 0);
  int* data = on_device(row);
  CHECK_CUDA(launch(reverse_dynamic, 1, 512, 512 * sizeof(int), nullptr, data));
  std::reverse(row.begin(), row.end());
  CHECK(to_host(data, 512) == row);
  int* counts = on_device(std::vector<int>(64));
  CHECK_CUDA(launch(early_exit, 1, 64, 0, nullptr, counts));
  int odd = 0;
  for (int i = 0; i != 64; ++i)
    odd += i % 3 != 0 && i % 2;
  const auto got = to_host(counts, 64);
  for (int i = 0; i != 64; ++i)
    CHECK(got[i] == (i % 3 == 0 ? 0 : odd + 3000));
}

CASE(kernel_blocks_wait_for_later_ones) {
  int* arrived = on_device(std::vector<int>(2));
  const int blocks = 20;
  CHECK_CUDA(launch(meet_all_blocks, blocks, 64, 0, nullptr, arrived));
  CHECK(to_host(arrived, 2) == std::vector<int>{blocks, 64 * blocks});
}

CASE(kernel_configurations) {
  const auto wrong = cudaErrorInvalidConfiguration;
  CHECK_ERROR(wrong, launch(nothing, 0, 1, 0, nullptr));
  CHECK_ERROR(wrong, cudaGetLastError());
  CHECK_ERROR(wrong, launch(nothing, dim3(1, 65536), 1, 0, nullptr));
  CHECK_ERROR(wrong, launch(nothing, 1, 1025, 0, nullptr));
  CHECK_ERROR(wrong, launch(nothing, 1, dim3(32, 33), 0, nullptr));
  CHECK_ERROR(wrong, launch(nothing, 1, dim3(1, 1, 65), 0, nullptr));
  CHECK_ERROR(wrong, launch(nothing, 1, 0, 0, nullptr));
  CHECK_ERROR(cudaErrorInvalidValue, launch(nothing, 1, 1, 49153, nullptr));
  CHECK_CUDA(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
  CHECK_CUDA(launch(nothing, 1, 1, 100000, nullptr));
  CHECK_ERROR(cudaErrorInvalidDeviceFunction, cudaLaunchKernel(&failures, 1, 1, nullptr, 0, nullptr));
  CHECK_ERROR(cudaErrorInvalidResourceHandle, launch(nothing, 1, 1, 0, reinterpret_cast<cudaStream_t>(77)));
}

CASE(kernel_fault) {
  CHECK_CUDA(launch(null_write, 2, 32, 0, nullptr, nullptr));
  CHECK_CUDA(cudaGetLastError());
  CHECK_ERROR(cudaErrorIllegalAddress, cudaDeviceSynchronize());
  CHECK_ERROR(cudaErrorIllegalAddress, cudaGetLastError());
  CHECK_ERROR(cudaErrorIllegalAddress, cudaGetLastError());
  void* p;
  CHECK_ERROR(cudaErrorIllegalAddress, cudaMalloc(&p, 4));
}

CASE(kernel_deadlock) {
  CHECK_CUDA(launch(divergent, 1, 32, 0, nullptr));
  CHECK_ERROR(cudaErrorLaunchFailure, cudaDeviceSynchronize());
}
