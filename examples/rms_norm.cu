// RMS norm of each row of a matrix: out = x / sqrt(mean(x^2) + Epsilon) * weight, with a weight per column.
//
// One block normalises one row, so the grid is `rows`. A row has up to Width columns; the tile is padded with
// zeros, which add nothing to the sum of squares.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cuda_tile.h"

namespace ct = cuda::tiles;
using namespace ct::literals;

template <typename T, float Epsilon = 1e-06f, int Width = 1024>
[[cutile::hint(0, occupancy = 4)]]
__tile_global__ void rms_norm(const T* __restrict__ x, const T* __restrict__ weight, T* __restrict__ out,
                              int rows, int columns) {
  using row_shape = ct::shape<1, Width>;
  ct::partition_view x_view{ct::tensor_span{x, ct::extents{rows, columns}}, row_shape{}};
  ct::partition_view weight_view{ct::tensor_span{weight, ct::extents{columns}}, ct::shape<Width>{}};
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{rows, columns}}, row_shape{}};

  auto row = ct::bid().x;
  auto v = ct::element_cast<float>(x_view.load_masked(row, 0));
  auto mean_square = ct::sum(v * v, 1_ic) / static_cast<float>(columns);
  auto normal = v * ct::rsqrt(mean_square + Epsilon);
  out_view.store_masked(ct::element_cast<T>(normal * ct::element_cast<float>(weight_view.load_masked(0))),
                        row, 0);
}
