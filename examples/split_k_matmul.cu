// Matrix product c = a b for a long k and few tiles of c: the blocks also divide k among them, and a second
// kernel adds their parts. The parts are `splits` x m x n floats.
//
// The grid of `split_k_products` is (ceil(n / N), ceil(m / M), splits), that of `split_k_sum` is ceil(m n /
// Size).
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cuda_tile.h"

namespace ct = cuda::tiles;

template <typename T, int M = 32, int N = 32, int K = 64>
[[cutile::hint(0, occupancy = 2)]]
__tile_global__ void split_k_products(const T* __restrict__ a, const T* __restrict__ b,
                                      float* __restrict__ parts, int m, int n, int k) {
  auto [column, row, split] = ct::bid();
  auto splits = static_cast<int>(ct::num_blocks().z);
  ct::partition_view a_view{ct::tensor_span{a, ct::extents{m, k}}, ct::shape<M, K>{}};
  ct::partition_view b_view{ct::tensor_span{b, ct::extents{k, n}}, ct::shape<K, N>{}};
  ct::partition_view parts_view{ct::tensor_span{parts, ct::extents{splits, m, n}}, ct::shape<1, M, N>{}};

  auto sum = ct::zeros<ct::tile<float, ct::shape<M, N>>>();
  for (int step : ct::irange(static_cast<int>(split), ct::ceildiv(k, K), splits)) {
    sum = ct::mma(a_view.load_masked(row, step), b_view.load_masked(step, column), sum);
  }
  parts_view.store_masked(ct::reshape(sum, ct::shape<1, M, N>{}), split, row, column);
}

template <typename T, int Size = 1024>
__tile_global__ void split_k_sum(const float* __restrict__ parts, T* __restrict__ c, int splits, int size) {
  ct::partition_view parts_view{ct::tensor_span{parts, ct::extents{splits, size}}, ct::shape<1, Size>{}};
  ct::partition_view c_view{ct::tensor_span{c, ct::extents{size}}, ct::shape<Size>{}};

  auto block = ct::bid().x;
  auto sum = ct::zeros<ct::tile<float, ct::shape<1, Size>>>();
  for (int split : ct::irange(0, splits)) {
    sum = sum + parts_view.load_masked(split, block);
  }
  c_view.store_masked(ct::reshape(ct::element_cast<T>(sum), ct::shape<Size>{}), block);
}
