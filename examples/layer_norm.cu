// Layer normalisation of each row of a matrix: out = (in - mean) / sqrt(variance + epsilon) * weight + bias,
// with the mean and the (biased) variance of the row, and one weight and one bias for each column.
//
// One block normalises one row, so the grid is `rows`. A row has up to `width` columns. The tile is padded
// with zeros; they add nothing to the sum, but their distance to the mean must be kept out of the variance.
#include "cuda_tile.h"

namespace ct = cuda::tiles;
using namespace ct::literals;

constexpr int width = 1024;

__tile_global__ void layer_norm(const float* __restrict__ in, const float* __restrict__ weight,
                                const float* __restrict__ bias, float* __restrict__ out, int rows,
                                int columns, float epsilon) {
  using row_shape = ct::shape<1, width>;
  ct::partition_view in_view{ct::tensor_span{in, ct::extents{rows, columns}}, row_shape{}};
  ct::partition_view weight_view{ct::tensor_span{weight, ct::extents{columns}}, ct::shape<width>{}};
  ct::partition_view bias_view{ct::tensor_span{bias, ct::extents{columns}}, ct::shape<width>{}};
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{rows, columns}}, row_shape{}};

  auto row = ct::bid().x;
  auto x = in_view.load_masked(row, 0);
  auto mean = ct::sum(x, 1_ic) / static_cast<float>(columns);

  auto in_row = ct::iota<ct::tile<int, row_shape>>() < columns;
  auto deviation = ct::select(in_row, x - mean, ct::zeros<ct::tile<float, row_shape>>());
  auto variance = ct::sum(deviation * deviation, 1_ic) / static_cast<float>(columns);

  auto normal = deviation / ct::sqrt(variance + epsilon);
  out_view.store_masked(normal * weight_view.load_masked(0) + bias_view.load_masked(0), row, 0);
}
