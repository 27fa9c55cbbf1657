// Product of two matrices quantised to 8 bits: out = (a b) * row_scale * column_scale, where a is m x k, b is
// k x n, and each row of a and each column of b has its own scale. The sums of products are exact.
//
// One block computes one tile of out, so the grid is (ceil(n / N), ceil(m / M)).
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "cuda_tile.h"

namespace ct = cuda::tiles;

template <typename T, int M = 32, int N = 32, int K = 64>
[[cutile::hint(0, occupancy = 2)]]
__tile_global__ void int8_matmul(const int8_t* __restrict__ a, const int8_t* __restrict__ b,
                                 const float* __restrict__ row_scale, const float* __restrict__ column_scale,
                                 T* __restrict__ out, int m, int n, int k) {
  ct::partition_view a_view{ct::tensor_span{a, ct::extents{m, k}}, ct::shape<M, K>{}};
  ct::partition_view b_view{ct::tensor_span{b, ct::extents{k, n}}, ct::shape<K, N>{}};
  ct::partition_view row_scale_view{ct::tensor_span{row_scale, ct::extents{m}}, ct::shape<M>{}};
  ct::partition_view column_scale_view{ct::tensor_span{column_scale, ct::extents{n}}, ct::shape<N>{}};
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{m, n}}, ct::shape<M, N>{}};

  auto [column, row, _] = ct::bid();
  auto sum = ct::zeros<ct::tile<int, ct::shape<M, N>>>();
  for (int step : ct::irange(0, ct::ceildiv(k, K))) {
    sum = ct::mma(a_view.load_masked(row, step), b_view.load_masked(step, column), sum);
  }
  auto scale = ct::reshape(row_scale_view.load_masked(row), ct::shape<M, 1>{}) *
               ct::reshape(column_scale_view.load_masked(column), ct::shape<1, N>{});
  out_view.store_masked(ct::element_cast<T>(ct::element_cast<float>(sum) * scale), row, column);
}
