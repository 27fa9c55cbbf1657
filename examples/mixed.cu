// Tile code in an ordinary CUDA kernel, for the target simt: rows of a matrix, softened by a table of
// weights.
//
// `smooth` is a __global__ function like any other: it has shared memory of its own, computes with threadIdx,
// and contains PTX. In between it calls tile functions. All threads of a block call them together, as they
// would call __syncthreads(), and a block has CUDA_TILE_BLOCK_THREADS threads, all along x.
//
// One block takes one row of up to `width` columns, so the grid is `rows`: out = softmax(x * table[column %
// 32]).
#include "cuda_tile.h"

namespace ct = cuda::tiles;
using namespace ct::literals;

constexpr int width = 1024;

/// Softmax over the first `columns` elements that `x` points to, in shared or global memory.
__tile__ auto softmax(const float* x, int columns) {
  auto column = ct::iota<ct::tile<int, ct::shape<width>>>();
  auto value = ct::load_masked(x + column, column < columns, -1e30f);
  auto exponentials = ct::exp(value - ct::reduce_max(value, 0_ic));
  return exponentials / ct::sum(exponentials, 0_ic);
}

/// 2^x by the device's instruction: PTX in tile code, which each thread executes.
__tile__ float fast_exp2(float x) {
  float result;
  asm("ex2.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

__global__ void smooth(const float* __restrict__ x, float* __restrict__ out, int rows, int columns) {
  __shared__ float row[width];
  __shared__ float table[32];
  if (threadIdx.x < 32)
    table[threadIdx.x] = fast_exp2(-static_cast<float>(threadIdx.x));
  __syncthreads();
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    row[i] = x[static_cast<size_t>(blockIdx.x) * columns + i] * table[i % 32];
  __syncthreads(); // what threads stored must be visible before tile code reads it

  auto result = softmax(row, columns);
  auto column = ct::iota<ct::tile<int, ct::shape<width>>>();
  ct::store_masked(out + static_cast<size_t>(ct::bid().x) * columns + column, result, column < columns);
}
