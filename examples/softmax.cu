// Softmax of each row of a matrix: out[i, j] = exp(in[i, j] - max_i) / sum_i, where max_i is the row's
// maximum and sum_i the sum of the row's exponentials.
//
// One block computes one row, so the grid is `rows`. A row has up to `width` columns. The tile is padded with
// minus infinity, whose exponential is zero, so that the padding changes neither the maximum nor the sum.
#include "cuda_tile.h"

namespace ct = cuda::tiles;
using namespace ct::literals;

constexpr int width = 1024;

__tile_global__ void softmax(const float* __restrict__ in, float* __restrict__ out, int rows, int columns) {
  ct::partition_view in_view{ct::tensor_span{in, ct::extents{rows, columns}}, ct::shape<1, width>{}};
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{rows, columns}}, ct::shape<1, width>{}};

  auto row = ct::bid().x;
  auto x = in_view.load_masked(ct::view_padding_negative_inf_t{}, row, 0);
  auto exponentials = ct::exp(x - ct::reduce_max(x, 1_ic));
  out_view.store_masked(exponentials / ct::sum(exponentials, 1_ic), row, 0);
}
