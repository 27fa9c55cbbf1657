// Transposition: out[j, i] = in[i, j], with `in` of rows x columns floats and `out` of columns x rows.
//
// One block moves one square tile, so the grid is (ceil(columns / 64), ceil(rows / 64)).
#include "cuda_tile.h"

namespace ct = cuda::tiles;
using namespace ct::literals;

__tile_global__ void transpose(const float* __restrict__ in, float* __restrict__ out, int rows, int columns) {
  ct::partition_view in_view{ct::tensor_span{in, ct::extents{rows, columns}}, ct::shape{64_ic, 64_ic}};
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{columns, rows}}, ct::shape{64_ic, 64_ic}};

  auto block = ct::bid();
  auto tile = in_view.load_masked(block.y, block.x);
  out_view.store_masked(ct::transpose(tile), block.x, block.y);
}
