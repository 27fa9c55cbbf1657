// Managed memory: a table of rows of different lengths, built by the host, whose rows the device scales to a
// sum of 1. The host reads the results at the same addresses.

#include "common.h"

#include <cuda_tile.h>

#include <new>

namespace ct = cuda::tiles;
using namespace ct::literals;

/// Objects of classes that derive from this live where both sides reach them.
struct Managed {
  static void* operator new(size_t bytes) {
    void* memory;
    if (cudaMallocManaged(&memory, bytes) != cudaSuccess)
      throw std::bad_alloc();
    return memory;
  }
  static void operator delete(void* memory) { cudaFree(memory); }
};

struct Table : Managed {
  int rows;
  float** row; // each managed as well
  int* length;
};

constexpr int most_columns = 256;

/// One thread fills each row, of which it knows the length.
__global__ void fill(Table* table) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= table->rows)
    return;
  for (int i = 0; i < table->length[r]; ++i)
    table->row[r][i] = static_cast<float>((r + i) % 5 + 1);
}

/// One block scales a row.
__tile_global__ void normalise(float* row, int n) {
  ct::partition_view view{ct::tensor_span{row, ct::extents{n}}, ct::shape<most_columns>{}};
  auto values = view.load_masked(0);
  view.store_masked(values / ct::sum(values, 0_ic), 0);
}

int main() {
  auto* table = new Table;
  table->rows = 37;
  CHECK(cudaMallocManaged(&table->row, table->rows * sizeof(float*)));
  CHECK(cudaMallocManaged(&table->length, table->rows * sizeof(int)));
  for (int r = 0; r < table->rows; ++r) {
    table->length[r] = 1 + 7 * r % most_columns;
    CHECK(cudaMallocManaged(&table->row[r], table->length[r] * sizeof(float)));
  }

  fill<<<2, 32>>>(table);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  for (int r = 0; r < table->rows; ++r)
    normalise<<<1, 1>>>(table->row[r], table->length[r]);
  CHECK(cudaDeviceSynchronize());

  int wrong = 0;
  for (int r = 0; r < table->rows; ++r) {
    double whole = 0, sum = 0;
    for (int i = 0; i < table->length[r]; ++i)
      whole += (r + i) % 5 + 1;
    for (int i = 0; i < table->length[r]; ++i) {
      wrong += std::fabs(table->row[r][i] - ((r + i) % 5 + 1) / whole) > 1e-6;
      sum += table->row[r][i];
    }
    wrong += std::fabs(sum - 1) > 1e-5;
  }

  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, table->row[0]));
  wrong += attributes.type != cudaMemoryTypeManaged;
  for (int r = 0; r < table->rows; ++r)
    CHECK(cudaFree(table->row[r]));
  CHECK(cudaFree(table->row));
  CHECK(cudaFree(table->length));
  delete table;
  printf(wrong ? "FAIL: %d wrong\n" : "PASS\n", wrong);
  return wrong != 0;
}
