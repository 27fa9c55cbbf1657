// Host code in plain C++: allocates device memory and calls the libraries.
#include "norms.h"

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  const int n = 1000;
  std::vector<float> values(n, 0.5f);
  float *device = nullptr, *result = nullptr;
  if (cudaMalloc(reinterpret_cast<void**>(&device), n * sizeof(float)) != cudaSuccess ||
      cudaMalloc(reinterpret_cast<void**>(&result), sizeof(float)) != cudaSuccess)
    return 1;
  cudaMemcpy(device, values.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  scale(device, 2, n);
  sum_of_squares(device, result, n);
  float sum = 0;
  const cudaError_t error = cudaMemcpy(&sum, result, sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(device);
  cudaFree(result);
  std::printf("norm %g, %s\n", std::sqrt(sum), cudaGetErrorString(error));
  return error == cudaSuccess && sum == 1000 ? 0 : 1;
}
