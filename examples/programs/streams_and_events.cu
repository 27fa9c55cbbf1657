// y = a x + y on pieces of an array, in three streams: each piece is copied to the device, computed and
// copied back in order, while the streams do not wait for each other. Events say how long it took, and let a
// last kernel wait for all pieces.

#include "common.h"

#include <cuda_tile.h>

#include <atomic>

namespace ct = cuda::tiles;

constexpr int tile_size = 1024;

__tile_global__ void axpy(float a, const float* __restrict__ x, float* __restrict__ y, int n) {
  using shape = ct::shape<tile_size>;
  ct::partition_view in{ct::tensor_span{x, ct::extents{n}}, shape{}};
  ct::partition_view out{ct::tensor_span{y, ct::extents{n}}, shape{}};
  auto block = ct::bid().x;
  out.store_masked(a * in.load_masked(block) + out.load_masked(block), block);
}

__global__ void count_wrong(const float* y, int n, int* wrong) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (y[i] != 2.0f * static_cast<float>(i % 1000) + 1.0f)
      atomicAdd(wrong, 1);
}

void CUDART_CB note_piece(void* counter) { ++*static_cast<std::atomic<int>*>(counter); }

int main() {
  constexpr int streams = 3, pieces = 8, piece = 100 * 1000 + 7, n = pieces * piece;
  float *host_x, *host_y, *x, *y;
  int* wrong;
  CHECK(cudaMallocHost(&host_x, n * sizeof(float)));
  CHECK(cudaHostAlloc(&host_y, n * sizeof(float), cudaHostAllocDefault));
  CHECK(cudaMalloc(&x, n * sizeof(float)));
  CHECK(cudaMalloc(&y, n * sizeof(float)));
  CHECK(cudaMalloc(&wrong, sizeof(int)));
  for (int i = 0; i < n; ++i) {
    host_x[i] = static_cast<float>(i % 1000);
    host_y[i] = 1.0f;
  }

  cudaStream_t stream[streams];
  for (cudaStream_t& each : stream)
    CHECK(cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking));
  cudaEvent_t start, stop, done[pieces];
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  std::atomic<int> finished{0};

  CHECK(cudaEventRecord(start, stream[0]));
  for (int p = 0; p < pieces; ++p) {
    cudaStream_t in = stream[p % streams];
    const size_t offset = static_cast<size_t>(p) * piece, bytes = piece * sizeof(float);
    CHECK(cudaMemcpyAsync(x + offset, host_x + offset, bytes, cudaMemcpyHostToDevice, in));
    CHECK(cudaMemcpyAsync(y + offset, host_y + offset, bytes, cudaMemcpyHostToDevice, in));
    axpy<<<(piece + tile_size - 1) / tile_size, 1, 0, in>>>(2.0f, x + offset, y + offset, piece);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host_y + offset, y + offset, bytes, cudaMemcpyDeviceToHost, in));
    CHECK(cudaLaunchHostFunc(in, note_piece, &finished));
    CHECK(cudaEventCreateWithFlags(&done[p], cudaEventDisableTiming));
    CHECK(cudaEventRecord(done[p], in));
  }
  for (cudaEvent_t each : done)
    CHECK(cudaStreamWaitEvent(stream[0], each, 0));
  CHECK(cudaMemsetAsync(wrong, 0, sizeof(int), stream[0]));
  count_wrong<<<4, 128, 0, stream[0]>>>(y, n, wrong);
  CHECK(cudaEventRecord(stop, stream[0]));
  CHECK(cudaEventSynchronize(stop));

  int host_wrong = -1;
  float milliseconds = 0;
  CHECK(cudaMemcpy(&host_wrong, wrong, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i)
    host_wrong += host_y[i] != 2.0f * static_cast<float>(i % 1000) + 1.0f;
  fprintf(stderr, "%d pieces in %g ms\n", pieces, milliseconds);

  for (cudaEvent_t each : done)
    CHECK(cudaEventDestroy(each));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  for (cudaStream_t each : stream)
    CHECK(cudaStreamDestroy(each));
  CHECK(cudaFreeHost(host_x));
  CHECK(cudaFreeHost(host_y));
  CHECK(cudaFree(x));
  CHECK(cudaFree(y));
  CHECK(cudaFree(wrong));
  if (host_wrong != 0 || finished != pieces || milliseconds <= 0) {
    printf("FAIL: %d wrong, %d of %d pieces, %g ms\n", host_wrong, finished.load(), pieces, milliseconds);
    return EXIT_FAILURE;
  }
  printf("PASS\n");
}
