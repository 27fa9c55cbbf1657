// Launches a kernel of its own beside those of the libraries.
#include "norms.h"

#include <cstdio>

__global__ void count(float* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    values[i] = static_cast<float>(i);
}

int main() {
  const int n = 100;
  float* values = nullptr;
  if (cudaMallocManaged(&values, (n + 1) * sizeof(float)) != cudaSuccess)
    return 1;
  count<<<2, 64>>>(values, n);
  scale(values, 0.5f, n);
  sum_of_squares(values, values + n, n);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%g, %s\n", values[n], cudaGetErrorString(error));
  const bool is_right = values[n] == 99 * 100 * 199 / 6 / 4.f;
  cudaFree(values);
  return error == cudaSuccess && is_right ? 0 : 1;
}
