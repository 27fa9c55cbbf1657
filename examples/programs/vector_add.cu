// Adds two vectors: the first program that everybody writes.
#include <cuda_runtime.h>
#include <cuda_tile.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace ct = cuda::tiles;

#define CHECK(call)                                                                                          \
  do {                                                                                                       \
    cudaError_t error = (call);                                                                              \
    if (error != cudaSuccess) {                                                                              \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));                    \
      std::exit(EXIT_FAILURE);                                                                               \
    }                                                                                                        \
  } while (0)

constexpr int tile_size = 1024;

__tile_global__ void vector_add(const float* a, const float* b, float* c, int n) {
  auto part = [n](auto* data) {
    return ct::partition_view{ct::tensor_span{data, ct::extents{n}}, ct::shape<tile_size>{}};
  };
  auto i = ct::bid().x;
  part(c).store_masked(part(a).load_masked(i) + part(b).load_masked(i), i);
}

int main(int argc, char** argv) {
  int n = argc > 1 ? std::atoi(argv[1]) : 100'000;
  size_t bytes = n * sizeof(float);
  std::vector<float> a(n), b(n), c(n);
  for (int i = 0; i < n; ++i) {
    a[i] = static_cast<float>(i);
    b[i] = 0.5f * static_cast<float>(i);
  }

  float *d_a, *d_b, *d_c;
  CHECK(cudaMalloc(&d_a, bytes));
  CHECK(cudaMalloc(&d_b, bytes));
  CHECK(cudaMalloc(&d_c, bytes));
  CHECK(cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice));

  dim3 grid((n + tile_size - 1) / tile_size);
  vector_add<<<grid, 1>>>(d_a, d_b, d_c, n);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());

  CHECK(cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_a));
  CHECK(cudaFree(d_b));
  CHECK(cudaFree(d_c));
  for (int i = 0; i < n; ++i)
    if (c[i] != a[i] + b[i]) {
      std::printf("wrong at %d: %g instead of %g\n", i, c[i], a[i] + b[i]);
      return EXIT_FAILURE;
    }
  std::printf("%d sums are right\n", n);
}
