// Matrix product: c = a b, with a of m x k, b of k x n and c of m x n floats.
//
// One block computes one tile of c, so the grid is (ceil(n / tile_n), ceil(m / tile_m)). It walks along k and
// adds the product of one tile of a and one tile of b at a time. Masked loads pad with zeros, which add
// nothing, so m, n and k need not be multiples of the tile sizes.
#include "cuda_tile.h"

namespace ct = cuda::tiles;

constexpr int tile_m = 64;
constexpr int tile_n = 64;
constexpr int tile_k = 64;

__tile_global__ void matmul(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                            int m, int n, int k) {
  ct::partition_view a_view{ct::tensor_span{a, ct::extents{m, k}}, ct::shape<tile_m, tile_k>{}};
  ct::partition_view b_view{ct::tensor_span{b, ct::extents{k, n}}, ct::shape<tile_k, tile_n>{}};
  ct::partition_view c_view{ct::tensor_span{c, ct::extents{m, n}}, ct::shape<tile_m, tile_n>{}};

  auto row = ct::bid().y;
  auto column = ct::bid().x;
  auto sum = ct::zeros<ct::tile<float, ct::shape<tile_m, tile_n>>>();
  for (int step : ct::irange(0, ct::ceildiv(k, tile_k))) {
    sum = ct::mma(a_view.load_masked(row, step), b_view.load_masked(step, column), sum);
  }
  c_view.store_masked(sum, row, column);
}
