// Mistakes, and the errors that the run time makes of them. The last is an access to no memory in a kernel,
// after which no work can be done any more.
#include <cuda_runtime.h>

#include <cuda_tile.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ct = cuda::tiles;

int failures = 0;

void expect(cudaError_t expected, cudaError_t got, const char* what) {
  if (expected != got) {
    printf("%s: %s instead of %s\n", what, cudaGetErrorName(got), cudaGetErrorName(expected));
    ++failures;
  }
}
#define EXPECT(expected, ...) expect(expected, (__VA_ARGS__), #__VA_ARGS__)

__tile_global__ void fill(int* out) {
  ct::store(out + ct::iota<ct::tile<int, ct::shape<16>>>(), ct::iota<ct::tile<int, ct::shape<16>>>());
}
__global__ void write(int* out) { out[threadIdx.x] = 1; }

int main() {
  int *memory = nullptr, host[16];
  EXPECT(cudaErrorMemoryAllocation, cudaMalloc(&memory, static_cast<size_t>(1) << 60));
  EXPECT(cudaErrorMemoryAllocation, cudaGetLastError());
  EXPECT(cudaSuccess, cudaGetLastError()); // reading it clears it
  EXPECT(cudaSuccess, cudaMalloc(&memory, sizeof host));

  fill<<<0, 1>>>(memory);
  EXPECT(cudaErrorInvalidConfiguration, cudaPeekAtLastError());
  EXPECT(cudaErrorInvalidConfiguration, cudaGetLastError());
  write<<<1, 2000>>>(memory);
  EXPECT(cudaErrorInvalidConfiguration, cudaGetLastError());
  fill<<<1, 1>>>(memory);
  EXPECT(cudaSuccess, cudaGetLastError());
  EXPECT(cudaSuccess, cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost));
  failures += host[15] != 15;

  EXPECT(cudaErrorInvalidValue, cudaMemcpy(memory, host, sizeof host, cudaMemcpyDeviceToHost)); // swapped
  EXPECT(cudaErrorInvalidValue, cudaMemcpy(host, nullptr, sizeof host, cudaMemcpyDeviceToHost));
  EXPECT(cudaErrorInvalidDevice, cudaSetDevice(1000));
  cudaEvent_t start, stop;
  float milliseconds;
  EXPECT(cudaSuccess, cudaEventCreate(&start));
  EXPECT(cudaSuccess, cudaEventCreate(&stop));
  EXPECT(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, start, stop)); // never recorded
  EXPECT(cudaSuccess, cudaFree(memory));
  EXPECT(cudaErrorInvalidValue, cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost)); // freed
  EXPECT(cudaErrorInvalidValue, cudaFree(memory));
  cudaGetLastError();
  failures += std::strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument") != 0;

  write<<<1, 32>>>(nullptr);
  EXPECT(cudaErrorIllegalAddress, cudaDeviceSynchronize());
  EXPECT(cudaErrorIllegalAddress, cudaMalloc(&memory, 4)); // for ever
  EXPECT(cudaErrorIllegalAddress, cudaGetLastError());
  EXPECT(cudaErrorIllegalAddress, cudaGetLastError());
  printf(failures ? "FAIL: %d wrong\n" : "PASS\n", failures);
  return failures != 0;
}
