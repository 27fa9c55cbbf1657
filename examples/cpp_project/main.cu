// Runs the kernel on a GPU.
#include "axpy.h"

#include "cuda_tile/launch.h"

#include <cstdio>
#include <vector>

int main() {
  int const n = 1000;
  float const a = 1 + 0x1p-12f; // see main.cpp
  std::vector<float> x(n, a), y(n, -1 - 0x1p-11f), out(n, -1);
  float* device[3];
  for (float*& memory : device)
    if (cudaError_t const status = cudaMalloc(&memory, n * sizeof(float)); status != cudaSuccess) {
      std::printf("no GPU: %s\n", cudaGetErrorString(status));
      return 1;
    }
  cudaMemcpy(device[0], x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(device[1], y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cuda_tile::launch(axpy, (n + elements - 1) / elements, a, device[0], device[1], device[2], n);
  cudaMemcpy(out.data(), device[2], n * sizeof(float), cudaMemcpyDeviceToHost);
  for (float value : out)
    if (value != 0) {
      std::printf("wrong: %g\n", value);
      return 1;
    }
  std::printf("%d elements are right\n", n);
}
