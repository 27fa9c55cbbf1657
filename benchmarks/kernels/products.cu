// Matrix products of small types: c = a b^T, as tensor cores take fp8, of m x k and n x k; c = a b; and of
// batches.
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_tf32.h>

#include "cuda_tile.h"

namespace ct = cuda::tiles;

/// Elements E are multiplied as M, summed as A and written as C. Grid: (ceil(n / tile_n), ceil(m / tile_m)).
template <typename E, typename M, typename A, typename C, int tile_m, int tile_n, int tile_k>
__tile_global__ void matmul_transposed(const E* __restrict__ a, const E* __restrict__ b, C* __restrict__ c,
                                       int m, int n, int k) {
  ct::partition_view a_view{ct::tensor_span{a, ct::extents{m, k}}, ct::shape<tile_m, tile_k>{}};
  ct::partition_view b_view{ct::tensor_span{b, ct::extents{n, k}}, ct::shape<tile_n, tile_k>{}};
  ct::partition_view c_view{ct::tensor_span{c, ct::extents{m, n}}, ct::shape<tile_m, tile_n>{}};
  auto row = ct::bid().y;
  auto column = ct::bid().x;
  auto sum = ct::zeros<ct::tile<A, ct::shape<tile_m, tile_n>>>();
  for (int step : ct::irange(0, ct::ceildiv(k, tile_k))) {
    auto left = a_view.load_masked(row, step); // both before a conversion, which may wait for open products
    auto right = b_view.load_masked(column, step);
    sum = ct::mma(ct::element_cast<M>(left), ct::transpose(ct::element_cast<M>(right)), sum);
  }
  c_view.store_masked(ct::element_cast<C>(sum), row, column);
}

/// c = a b, with b of k x n; otherwise the same.
template <typename E, typename M, typename A, typename C, int tile_m, int tile_n, int tile_k>
__tile_global__ void matmul_converted(const E* __restrict__ a, const E* __restrict__ b, C* __restrict__ c,
                                      int m, int n, int k) {
  ct::partition_view a_view{ct::tensor_span{a, ct::extents{m, k}}, ct::shape<tile_m, tile_k>{}};
  ct::partition_view b_view{ct::tensor_span{b, ct::extents{k, n}}, ct::shape<tile_k, tile_n>{}};
  ct::partition_view c_view{ct::tensor_span{c, ct::extents{m, n}}, ct::shape<tile_m, tile_n>{}};
  auto row = ct::bid().y;
  auto column = ct::bid().x;
  auto sum = ct::zeros<ct::tile<A, ct::shape<tile_m, tile_n>>>();
  for (int step : ct::irange(0, ct::ceildiv(k, tile_k))) {
    auto left = a_view.load_masked(row, step);
    auto right = b_view.load_masked(step, column);
    sum = ct::mma(ct::element_cast<M>(left), ct::element_cast<M>(right), sum);
  }
  c_view.store_masked(ct::element_cast<C>(sum), row, column);
}

/// c[i] = a[i] b for each of `tile_batch` matrices a block: one right side for all. Grid: (ceil(n / tile_n),
/// ceil(batches / tile_batch)).
template <typename E, typename A, int tile_batch, int tile_m, int tile_n, int tile_k>
__tile_global__ void matmul_batched(const E* __restrict__ a, const E* __restrict__ b, A* __restrict__ c,
                                    int batches, int n, int k) {
  using left = ct::shape<tile_batch, tile_m, tile_k>;
  using right = ct::shape<1, tile_k, tile_n>;
  using result = ct::shape<tile_batch, tile_m, tile_n>;
  ct::partition_view a_view{ct::tensor_span{a, ct::extents{batches, tile_m, k}}, left{}};
  ct::partition_view b_view{ct::tensor_span{b, ct::extents{1, k, n}}, right{}};
  ct::partition_view c_view{ct::tensor_span{c, ct::extents{batches, tile_m, n}}, result{}};
  auto batch = ct::bid().y;
  auto column = ct::bid().x;
  auto sum = ct::zeros<ct::tile<A, result>>();
  for (int step : ct::irange(0, ct::ceildiv(k, tile_k)))
    sum = ct::mma(a_view.load_masked(batch, 0, step), b_view.load_masked(0, step, column), sum);
  c_view.store_masked(sum, batch, 0, column);
}
