// Convolution of a picture with a small window: out[y, x] = sum over i, j of weights[i, j] * in[y + i, x +
// j].
//
// One block computes a tile of 16 x 64 results, so the grid is (ceil(columns / 64), ceil(rows / 16)), where
// the results have `rows` x `columns`. For each weight it loads the same window, moved by (i, j): a strided
// view whose chunks begin one element apart has a chunk at every place.
#include "cuda_tile.h"

namespace ct = cuda::tiles;
using namespace ct::literals;

constexpr int tile_rows = 16;
constexpr int tile_columns = 64;

__tile_global__ void convolution(const float* __restrict__ in, const float* __restrict__ weights,
                                 float* __restrict__ out, int rows, int columns, int height, int width) {
  ct::shape<tile_rows, tile_columns> window;
  ct::extents in_size{rows + height - 1, columns + width - 1};
  ct::strided_view from{ct::tensor_span{in, in_size}, window, ct::strides{1_ic, 1_ic}};
  ct::partition_view to{ct::tensor_span{out, ct::extents{rows, columns}}, window};

  auto block = ct::bid();
  auto sum = ct::zeros<ct::tile<float, ct::shape<tile_rows, tile_columns>>>();
  for (int i : ct::irange(0, height))
    for (int j : ct::irange(0, width))
      sum = sum +
            weights[i * width + j] * from.load_masked(block.y * tile_rows + i, block.x * tile_columns + j);
  to.store_masked(sum, block.y, block.x);
}
