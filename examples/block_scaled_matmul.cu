// Product of matrices of fp8 of which each scale, a power of two, holds for 32 elements along k: c = a b,
// with a of m x k and its scales of m x k / 32, b of k x n and its scales of k / 32 x n, and c of m x n
// floats.
//
// One block computes a tile of 32 x 32 of c, so the grid is (ceil(n / 32), ceil(m / 32)). k is a multiple
// of 64.
#include <cuda_fp8.h>

#include "cuda_tile.h"

namespace ct = cuda::tiles;

constexpr int tile = 32;
constexpr int tile_k = 64;
constexpr int run = 32;

__tile_global__ void block_scaled_matmul(const __nv_fp8_e4m3* __restrict__ a,
                                         const __nv_fp8_e8m0* __restrict__ a_scales,
                                         const __nv_fp8_e4m3* __restrict__ b,
                                         const __nv_fp8_e8m0* __restrict__ b_scales, float* __restrict__ c,
                                         int m, int n, int k) {
  using nan = ct::view_padding_nan_t; // e8m0 has no zero; what is padded is not stored
  ct::partition_view a_view{ct::tensor_span{a, ct::extents{m, k}}, ct::shape<tile, tile_k>{}};
  ct::partition_view b_view{ct::tensor_span{b, ct::extents{k, n}}, ct::shape<tile_k, tile>{}};
  ct::partition_view a_scale{ct::tensor_span{a_scales, ct::extents{m, k / run}},
                             ct::shape<tile, tile_k / run>{}};
  ct::partition_view b_scale{ct::tensor_span{b_scales, ct::extents{k / run, n}},
                             ct::shape<tile_k / run, tile>{}};
  ct::partition_view to{ct::tensor_span{c, ct::extents{m, n}}, ct::shape<tile, tile>{}};

  auto row = ct::bid().y;
  auto column = ct::bid().x;
  auto sum = ct::zeros<ct::tile<float, ct::shape<tile, tile>>>();
  for (int step : ct::irange(0, k / tile_k))
    sum = ct::scaled_mma(a_view.load_masked(row, step), a_scale.load_masked(nan{}, row, step),
                         b_view.load_masked(step, column), b_scale.load_masked(nan{}, step, column), sum);
  to.store_masked(sum, row, column);
}
