// Times calls of the run time; prints what was called and the nanoseconds of one call, the best of some
// rounds.
#include <cuda_runtime.h>

#include <cuda_tile.h>

#include <chrono>
#include <cstdio>
#include <vector>

__tile_global__ void tiles() {}
__global__ void threads() {}
__global__ void with_arguments(const float*, const float*, float*, int) {}

template <typename Call>
void time_of(const char* what, int calls, Call call) {
  constexpr int rounds = 15;
  double best = 1e30;
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i)
      call();
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    best = taken.count() / calls < best ? taken.count() / calls : best;
  }
  std::printf("%s\t%g\n", what, best);
}

int main() {
  time_of("launch <<<1, 1>>> of an empty tile kernel", 2000, [] { tiles<<<1, 1>>>(); });
  time_of("launch <<<1, 1>>> of an empty __global__ kernel", 2000, [] { threads<<<1, 1>>>(); });
  time_of("launch <<<1, 1>>> with four arguments", 2000,
          [] { with_arguments<<<1, 1>>>(nullptr, nullptr, nullptr, 1); });
  time_of("launch <<<64, 1>>> of an empty tile kernel", 500, [] { tiles<<<64, 1>>>(); });
  time_of("launch <<<1024, 256>>> of an empty __global__ kernel", 5, [] { threads<<<1024, 256>>>(); });
  void* memory = nullptr;
  time_of("cudaMalloc and cudaFree of 4 KiB", 5000, [&] {
    cudaMalloc(&memory, 4096);
    cudaFree(memory);
  });
  std::vector<void*> many(1000);
  time_of("1000 times cudaMalloc of 4 KiB, then 1000 times cudaFree", 1, [&] {
    for (void*& each : many)
      cudaMalloc(&each, 4096);
    for (void* each : many)
      cudaFree(each);
  });
  int value = 0;
  cudaMalloc(&memory, 4096);
  time_of("cudaMemcpy of 4 bytes", 5000, [&] { cudaMemcpy(memory, &value, 4, cudaMemcpyHostToDevice); });
  cudaEvent_t event;
  cudaEventCreate(&event);
  time_of("cudaEventRecord", 5000, [&] { cudaEventRecord(event); });
  time_of("cudaDeviceSynchronize, nothing to wait for", 5000, [] { cudaDeviceSynchronize(); });
  return cudaGetLastError() != cudaSuccess;
}
