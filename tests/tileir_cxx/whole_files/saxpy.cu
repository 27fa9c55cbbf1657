// SAXPY with a host driver, as in a blog post
#include <cuda_runtime.h>
#include <cuda_tile.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <iostream>
#include <chrono>

#define CUDA_CHECK(call)                                                              \
  do {                                                                                \
    cudaError_t status = (call);                                                      \
    if (status != cudaSuccess) {                                                      \
      std::cerr << "CUDA error: " << cudaGetErrorString(status) << std::endl;         \
      goto failed_##__LINE__;                                                                  \
    }                                                                                 \
    failed_##__LINE__:; \
  } while (0)

namespace ct = cuda::tiles;
using namespace ct::literals;
constexpr int TILE = 256;

__tile_global__ void saxpy(float a, const float* __restrict__ x, float* __restrict__ y, int n) {
  auto vx = ct::partition_view{ct::tensor_span{x, ct::extents{n}}, ct::shape<TILE>{}};
  auto vy = ct::partition_view{ct::tensor_span{y, ct::extents{n}}, ct::shape<TILE>{}};
  auto i = ct::bid().x;
  vy.store_masked(vx.load_masked(i) * a + vy.load_masked(i), i);
}

static void check(const std::vector<float>& y) {
  for (size_t i = 0; i < y.size(); ++i)
    if (y[i] != 3.0f) { fprintf(stderr, "mismatch at %zu\n", i); exit(EXIT_FAILURE); }
}

int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
  std::vector<float> x(n, 1.0f), y(n, 2.0f);
  float *dx = nullptr, *dy = nullptr;
  cudaMalloc(&dx, n * sizeof(float));
  cudaMalloc(&dy, n * sizeof(float));
  cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  auto t0 = std::chrono::high_resolution_clock::now();
  saxpy<<<(n + TILE - 1) / TILE, 1>>>(1.0f, dx, dy, n);
  cudaDeviceSynchronize();
  auto t1 = std::chrono::high_resolution_clock::now();
  printf("%f ms\n", std::chrono::duration<double, std::milli>(t1 - t0).count());
  cudaFree(dx);
  check(y);
  return 0;
}
