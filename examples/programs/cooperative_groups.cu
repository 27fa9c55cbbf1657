// One cooperative launch scales an array to a largest value of 1: all blocks find their largest value, meet,
// and then divide by the largest of all. Groups of 8 lanes, warps and blocks reduce on the way.
#include "common.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__device__ unsigned positive; // counted once a group

__global__ void scale(float* values, float* largest_of_blocks, int n) {
  extern __shared__ float largest_of_warps[];
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);

  float largest = 0;
  for (size_t i = grid.thread_rank(); i < static_cast<size_t>(n); i += grid.size()) {
    largest = fmaxf(largest, values[i]);
    if (values[i] > 0) {
      cg::coalesced_group together = cg::coalesced_threads();
      if (together.thread_rank() == 0)
        atomicAdd(&positive, static_cast<unsigned>(together.size()));
    }
  }
  largest = cg::reduce(warp, largest, cg::greater<float>());
  if (warp.thread_rank() == 0)
    largest_of_warps[warp.meta_group_rank()] = largest;
  block.sync();
  if (warp.meta_group_rank() == 0) {
    auto group = cg::tiled_partition<8>(warp);
    largest = group.thread_rank() < warp.meta_group_size() ? largest_of_warps[group.thread_rank()] : 0;
    for (unsigned width = group.size() / 2; width > 0; width /= 2)
      largest = fmaxf(largest, group.shfl_xor(largest, width));
    if (block.thread_rank() == 0)
      largest_of_blocks[blockIdx.x] = largest;
  }

  grid.sync();
  largest = 0;
  for (unsigned b = 0; b < gridDim.x; ++b)
    largest = fmaxf(largest, largest_of_blocks[b]);
  for (size_t i = grid.thread_rank(); i < static_cast<size_t>(n); i += grid.size())
    values[i] /= largest;
}

int main() {
  constexpr int n = 10000, threads = 160;
  int device = 0, is_supported = 0, multiprocessors = 0, blocks_of_one = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&is_supported, cudaDevAttrCooperativeLaunch, device));
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  size_t shared = threads / 32 * sizeof(float);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_of_one, scale, threads, shared));
  if (!is_supported || blocks_of_one == 0) {
    printf("FAIL: no cooperative launches\n");
    return EXIT_FAILURE;
  }
  int blocks = multiprocessors * blocks_of_one;
  blocks = blocks < 6 ? blocks : 6;

  std::vector<float> host(n), got(n);
  unsigned expected_positive = 0;
  for (int i = 0; i < n; ++i) {
    host[i] = static_cast<float>((i * 7919) % 10007 - 5000);
    expected_positive += host[i] > 0;
  }
  float largest = 0;
  for (float value : host)
    largest = value > largest ? value : largest;
  float *values, *largest_of_blocks;
  CHECK(cudaMalloc(&values, n * sizeof(float)));
  CHECK(cudaMalloc(&largest_of_blocks, blocks * sizeof(float)));
  CHECK(cudaMemcpy(values, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));

  int count = n;
  void* arguments[] = {&values, &largest_of_blocks, &count};
  CHECK(cudaLaunchCooperativeKernel(scale, blocks, threads, arguments, shared, 0));
  CHECK(cudaDeviceSynchronize());

  unsigned host_positive = 0;
  CHECK(cudaMemcpyFromSymbol(&host_positive, positive, sizeof host_positive));
  CHECK(cudaMemcpy(got.data(), values, n * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = host_positive != expected_positive;
  for (int i = 0; i < n; ++i)
    wrong += got[i] != host[i] / largest;
  CHECK(cudaFree(values));
  CHECK(cudaFree(largest_of_blocks));
  printf(wrong ? "FAIL: %d wrong\n" : "PASS\n", wrong);
  return wrong != 0;
}
