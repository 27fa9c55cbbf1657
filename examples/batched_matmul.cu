// Matrix products of a batch: c[i] = a[i] b[i], with a of batch x m x k, b of batch x k x n, c of batch x m x
// n.
//
// One block computes one tile of one product, so the grid is (ceil(n / N), ceil(m / M), batch).
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cuda_tile.h"

namespace ct = cuda::tiles;

template <typename T, int M = 32, int N = 32, int K = 32>
[[cutile::hint(0, occupancy = 2)]]
__tile_global__ void batched_matmul(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c,
                                    int batch, int m, int n, int k) {
  ct::partition_view a_view{ct::tensor_span{a, ct::extents{batch, m, k}}, ct::shape<1, M, K>{}};
  ct::partition_view b_view{ct::tensor_span{b, ct::extents{batch, k, n}}, ct::shape<1, K, N>{}};
  ct::partition_view c_view{ct::tensor_span{c, ct::extents{batch, m, n}}, ct::shape<1, M, N>{}};

  auto [column, row, product] = ct::bid();
  auto sum = ct::zeros<ct::tile<float, ct::shape<1, M, N>>>();
  for (int step : ct::irange(0, ct::ceildiv(k, K))) {
    sum = ct::mma(a_view.load_masked(product, row, step), b_view.load_masked(product, step, column), sum);
  }
  c_view.store_masked(ct::element_cast<T>(sum), product, row, column);
}
