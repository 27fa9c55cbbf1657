// Work along the rows of a matrix of floats: softmax, layer norm, partial sums; and sums of rows, of columns,
// and of an array.
#include "cuda_tile.h"

namespace ct = cuda::tiles;
using namespace ct::literals;

/// Softmax of each row; width >= columns. Grid: rows.
template <int width>
__tile_global__ void softmax(const float* __restrict__ in, float* __restrict__ out, int rows, int columns) {
  ct::partition_view in_view{ct::tensor_span{in, ct::extents{rows, columns}}, ct::shape<1, width>{}};
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{rows, columns}}, ct::shape<1, width>{}};
  auto row = ct::bid().x;
  auto x = in_view.load_masked(ct::view_padding_negative_inf_t{}, row, 0);
  auto exponentials = ct::exp(x - ct::reduce_max(x, 1_ic));
  out_view.store_masked(exponentials * (1.0f / ct::sum(exponentials, 1_ic)), row, 0);
}

/// (in - mean) / sqrt(variance + epsilon) * weight + bias of each row; width >= columns. Grid: rows.
template <int width>
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

/// The same for rows of any length, a part at a time: parts are small enough for a processor's registers, and
/// read again from the nearest cache. Grid: rows.
template <int tile>
__tile_global__ void layer_norm_by_parts(const float* __restrict__ in, const float* __restrict__ weight,
                                         const float* __restrict__ bias, float* __restrict__ out, int rows,
                                         int columns, float epsilon) {
  using part_shape = ct::shape<1, tile>;
  ct::partition_view in_view{ct::tensor_span{in, ct::extents{rows, columns}}, part_shape{}};
  ct::partition_view weight_view{ct::tensor_span{weight, ct::extents{columns}}, ct::shape<tile>{}};
  ct::partition_view bias_view{ct::tensor_span{bias, ct::extents{columns}}, ct::shape<tile>{}};
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{rows, columns}}, part_shape{}};
  auto row = ct::bid().x;
  int whole_parts = columns / tile, parts = ct::ceildiv(columns, tile);
  float total = 0, squares = 0;
  for (int part : ct::irange(0, parts))
    total += static_cast<float>(ct::sum(in_view.load_masked(row, part), 1_ic));
  float mean = total / static_cast<float>(columns);
  for (int part : ct::irange(0, whole_parts)) {
    auto deviation = in_view.load(row, part) - mean;
    squares += static_cast<float>(ct::sum(deviation * deviation, 1_ic));
  }
  if (whole_parts < parts) {
    auto in_row = ct::iota<ct::tile<int, part_shape>>() < columns - whole_parts * tile;
    auto deviation = ct::select(in_row, in_view.load_masked(row, whole_parts) - mean,
                                ct::zeros<ct::tile<float, part_shape>>());
    squares += static_cast<float>(ct::sum(deviation * deviation, 1_ic));
  }
  float scale = 1.0f / ct::sqrt(squares / static_cast<float>(columns) + epsilon);
  for (int part : ct::irange(0, parts)) {
    auto normal = (in_view.load_masked(row, part) - mean) * scale;
    out_view.store_masked(normal * weight_view.load_masked(part) + bias_view.load_masked(part), row, part);
  }
}

/// Partial sums along each row; width >= columns. Grid: rows.
template <int width>
__tile_global__ void partial_sum(const float* __restrict__ in, float* __restrict__ out, int rows,
                                 int columns) {
  ct::partition_view in_view{ct::tensor_span{in, ct::extents{rows, columns}}, ct::shape<1, width>{}};
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{rows, columns}}, ct::shape<1, width>{}};
  auto row = ct::bid().x;
  out_view.store_masked(ct::partial_sum(in_view.load_masked(row, 0), 1_ic), row, 0);
}

/// out[block] = the sum of the block's `steps` tiles of n floats. Grid: ceil(n / (steps * tile)).
template <int tile, int steps>
__tile_global__ void sum(const float* __restrict__ in, float* __restrict__ out, int n) {
  ct::partition_view view{ct::tensor_span{in, ct::extents{n}}, ct::shape<tile>{}};
  auto block = ct::bid().x;
  auto sums = ct::zeros<ct::tile<float, ct::shape<tile>>>();
  for (auto step : ct::irange(block * steps, (block + 1) * steps))
    sums = sums + view.load_masked(step);
  out[block] = static_cast<float>(ct::sum(sums, 0_ic));
}

/// The same, from four places at once, which a processor's own fetching ahead makes the most of. Grid:
/// ceil(n / (4 * steps * tile)).
template <int tile, int steps>
__tile_global__ void sum_of_four(const float* __restrict__ in, float* __restrict__ out, int n) {
  ct::partition_view view{ct::tensor_span{in, ct::extents{n}}, ct::shape<tile>{}};
  int block = static_cast<int>(ct::bid().x), begin = block * 4 * steps;
  auto sums = ct::zeros<ct::tile<float, ct::shape<tile>>>();
  for (int step : ct::irange(begin, begin + steps))
    sums = sums + ((view.load_masked(step) + view.load_masked(step + steps)) +
                   (view.load_masked(step + 2 * steps) + view.load_masked(step + 3 * steps)));
  out[block] = static_cast<float>(ct::sum(sums, 0_ic));
}

/// out[i] = the sum of row i. Grid: ceil(rows / tile_rows).
template <int tile_rows, int tile_columns>
__tile_global__ void row_sum(const float* __restrict__ in, float* __restrict__ out, int rows, int columns) {
  using tile_shape = ct::shape<tile_rows, tile_columns>;
  ct::partition_view view{ct::tensor_span{in, ct::extents{rows, columns}}, tile_shape{}};
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{rows}}, ct::shape<tile_rows>{}};
  auto block = ct::bid().x;
  auto sums = ct::zeros<ct::tile<float, tile_shape>>();
  for (int step : ct::irange(0, ct::ceildiv(columns, tile_columns)))
    sums = sums + view.load_masked(block, step);
  out_view.store_masked(ct::reshape(ct::sum(sums, 1_ic), ct::shape<tile_rows>{}), block);
}

/// out[y, j] = the sum of column j over the `steps` tiles of rows of the blocks y; out of gridDim.y x
/// columns. Grid: (ceil(columns / tile_columns), ceil(rows / (steps * tile_rows))).
template <int tile_rows, int tile_columns>
__tile_global__ void column_sum(const float* __restrict__ in, float* __restrict__ out, int rows, int columns,
                                int steps) {
  using tile_shape = ct::shape<tile_rows, tile_columns>;
  auto pieces = ct::ceildiv(rows, steps * tile_rows);
  ct::partition_view view{ct::tensor_span{in, ct::extents{rows, columns}}, tile_shape{}};
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{pieces, columns}},
                              ct::shape<1, tile_columns>{}};
  auto block = ct::bid();
  auto piece = static_cast<int>(block.y);
  auto sums = ct::zeros<ct::tile<float, tile_shape>>();
  for (int step : ct::irange(piece * steps, ct::min((piece + 1) * steps, ct::ceildiv(rows, tile_rows))))
    sums = sums + view.load_masked(step, block.x);
  out_view.store_masked(ct::sum(sums, 0_ic), piece, block.x);
}
