// Variables of the device: a filter in constant memory, a counter and a pointer that kernels write, and a
// managed flag. The host reads and writes them by name.
#include "common.h"

constexpr int radius = 2, taps = 2 * radius + 1, block = 128;

__constant__ float weights[taps];
__device__ unsigned long long outside; // how many values were taken from past an end
__device__ float* results;
__managed__ bool is_done;

namespace settings {
__device__ __constant__ float scale = 0.5f;
}

__global__ void filter(const float* in, int n) {
  __shared__ float part[block + 2 * radius];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = threadIdx.x; j < block + 2 * radius; j += blockDim.x) {
    const int at = static_cast<int>(blockIdx.x) * block + j - radius;
    part[j] = at >= 0 && at < n ? in[at] : 0.0f;
    if (at < 0 || at >= n)
      atomicAdd(&outside, 1ull);
  }
  __syncthreads();
  if (i >= n)
    return;
  float sum = 0;
  for (int t = 0; t < taps; ++t)
    sum += weights[t] * part[threadIdx.x + t];
  results[i] = settings::scale * sum;
  if (i == n - 1)
    is_done = true;
}

int main() {
  constexpr int blocks = 5, n = blocks * block - 40;
  std::vector<float> values(n), got(n);
  for (int i = 0; i < n; ++i)
    values[i] = static_cast<float>(i % 17);
  float *in, *out;
  CHECK(cudaMalloc(&in, n * sizeof(float)));
  CHECK(cudaMalloc(&out, n * sizeof(float)));
  CHECK(cudaMemcpy(in, values.data(), n * sizeof(float), cudaMemcpyHostToDevice));

  const float filter_weights[taps] = {1, 2, 4, 0, 0}, last[2] = {2, 1};
  CHECK(cudaMemcpyToSymbol(weights, filter_weights, sizeof filter_weights));
  CHECK(cudaMemcpyToSymbol(weights, last, sizeof last, 3 * sizeof(float)));
  CHECK(cudaMemcpyToSymbol(results, &out, sizeof out));
  const float scale = 0.25f;
  CHECK(cudaMemcpyToSymbol(settings::scale, &scale, sizeof scale, 0, cudaMemcpyHostToDevice));
  void* counter;
  size_t bytes;
  CHECK(cudaGetSymbolAddress(&counter, outside));
  CHECK(cudaGetSymbolSize(&bytes, outside));
  CHECK(cudaMemset(counter, 0, bytes));

  is_done = false;
  filter<<<blocks, block>>>(in, n);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());

  unsigned long long host_outside = 0;
  CHECK(cudaMemcpyFromSymbol(&host_outside, outside, sizeof host_outside));
  CHECK(cudaMemcpy(got.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = !is_done || host_outside != radius + 40 + radius;
  const float all[taps] = {1, 2, 4, 2, 1};
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int t = 0; t < taps; ++t)
      if (const int at = i + t - radius; at >= 0 && at < n)
        sum += all[t] * values[at];
    wrong += got[i] != 0.25f * sum;
  }
  wrong += cudaMemcpyToSymbol(weights, all, sizeof all, 4) != cudaErrorInvalidValue; // too long
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  printf(wrong ? "FAIL: %d wrong\n" : "PASS\n", wrong);
  return wrong != 0;
}
