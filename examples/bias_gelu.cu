// Bias and GELU in one pass: out = gelu(x + bias), with one bias for each column, and GELU by the tanh
// formula that transformers use: gelu(v) = v / 2 * (1 + tanh(sqrt(2 / pi) * (v + 0.044715 v^3))).
//
// One block computes a tile of Rows x Columns elements, so the grid is (ceil(columns / Columns),
// ceil(rows / Rows)). The block computes in float for every T.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cuda_tile.h"

namespace ct = cuda::tiles;

/// x / (1 + exp(-2 y)) is x / 2 * (1 + tanh(y)).
template <typename Tile>
__tile__ Tile gelu(Tile x) {
  auto y = 0.79788456f * (x + 0.044715f * x * x * x);
  return x / (1.0f + ct::exp(-2.0f * y));
}

template <typename T, int Rows = 16, int Columns = 128>
[[cutile::hint(0, occupancy = 4)]]
__tile_global__ void bias_gelu(const T* __restrict__ x, const T* __restrict__ bias, T* __restrict__ out,
                               int rows, int columns) {
  using tile_shape = ct::shape<Rows, Columns>;
  ct::partition_view x_view{ct::tensor_span{x, ct::extents{rows, columns}}, tile_shape{}};
  ct::partition_view bias_view{ct::tensor_span{bias, ct::extents{columns}}, ct::shape<Columns>{}};
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{rows, columns}}, tile_shape{}};

  auto [column, row, _] = ct::bid();
  auto sum = ct::element_cast<float>(x_view.load_masked(row, column)) +
             ct::element_cast<float>(bias_view.load_masked(column));
  out_view.store_masked(ct::element_cast<T>(gelu(sum)), row, column);
}
