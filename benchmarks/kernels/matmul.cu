// Matrix product: c = a b, with a of m x k, b of k x n and c of m x n. One block a tile of c.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cuda_tile.h"

namespace ct = cuda::tiles;

/// Elements E are summed as A and written as C. Grid: (ceil(n / tile_n), ceil(m / tile_m)).
template <typename E, typename A, typename C, int tile_m, int tile_n, int tile_k>
__tile_global__ void matmul(const E* __restrict__ a, const E* __restrict__ b, C* __restrict__ c, int m, int n,
                            int k) {
  ct::partition_view a_view{ct::tensor_span{a, ct::extents{m, k}}, ct::shape<tile_m, tile_k>{}};
  ct::partition_view b_view{ct::tensor_span{b, ct::extents{k, n}}, ct::shape<tile_k, tile_n>{}};
  ct::partition_view c_view{ct::tensor_span{c, ct::extents{m, n}}, ct::shape<tile_m, tile_n>{}};
  auto row = ct::bid().y;
  auto column = ct::bid().x;
  auto sum = ct::zeros<ct::tile<A, ct::shape<tile_m, tile_n>>>();
  for (int step : ct::irange(0, ct::ceildiv(k, tile_k)))
    sum = ct::mma(a_view.load_masked(row, step), b_view.load_masked(step, column), sum);
  if constexpr (sizeof(A) == sizeof(C))
    c_view.store_masked(sum, row, column);
  else
    c_view.store_masked(ct::element_cast<C>(sum), row, column);
}

/// The same for sums that are kept in c between steps, by rows of tiles: a tile of a stays with a block while
/// those of b and c pass by, which are so narrow that caches hold them. Grid: ceil(m / tile_m).
template <typename E, typename C, int tile_m, int tile_n, int tile_k>
__tile_global__ void matmul_by_rows(const E* __restrict__ a, const E* __restrict__ b, C* __restrict__ c,
                                    int m, int n, int k) {
  ct::partition_view a_view{ct::tensor_span{a, ct::extents{m, k}}, ct::shape<tile_m, tile_k>{}};
  ct::partition_view b_view{ct::tensor_span{b, ct::extents{k, n}}, ct::shape<tile_k, tile_n>{}};
  ct::partition_view c_view{ct::tensor_span{c, ct::extents{m, n}}, ct::shape<tile_m, tile_n>{}};
  auto row = ct::bid().x;
  for (int step : ct::irange(0, ct::ceildiv(k, tile_k))) {
    auto left = a_view.load_masked(row, step);
    for (int column : ct::irange(0, ct::ceildiv(n, tile_n))) {
      auto right = b_view.load_masked(step, column);
      if (step == 0)
        c_view.store_masked(ct::matmul(left, right), row, column);
      else
        c_view.store_masked(ct::mma(left, right, c_view.load_masked(row, column)), row, column);
    }
  }
}
