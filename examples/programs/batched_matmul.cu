// Products of a batch of matrices in half precision, accumulated in float, on a grid of three dimensions.
#include "common.h"

#include <cuda_fp16.h>
#include <cuda_tile.h>

namespace ct = cuda::tiles;

template <int M, int N, int K>
__tile_global__ void batched_matmul(const __half* a, const __half* b, float* c, int batch, int m, int n,
                                    int k) {
  ct::partition_view a_view{ct::tensor_span{a, ct::extents{batch, m, k}}, ct::shape<1, M, K>{}};
  ct::partition_view b_view{ct::tensor_span{b, ct::extents{batch, k, n}}, ct::shape<1, K, N>{}};
  ct::partition_view c_view{ct::tensor_span{c, ct::extents{batch, m, n}}, ct::shape<1, M, N>{}};
  auto [column, row, product] = ct::bid();
  auto sum = ct::zeros<ct::tile<float, ct::shape<1, M, N>>>();
  for (int step : ct::irange(0, ct::ceildiv(k, K)))
    sum = ct::mma(a_view.load_masked(product, row, step), b_view.load_masked(product, step, column), sum);
  c_view.store_masked(sum, product, row, column);
}

int main() {
  constexpr int M = 32, N = 32, K = 16;
  const int batch = 3, m = 50, n = 70, k = 45;
  auto random_halves = [](size_t count, unsigned seed) {
    std::vector<__half> out;
    for (float value : random_floats(count, -1, 1, seed))
      out.push_back(__float2half(value));
    return out;
  };
  const std::vector<__half> a = random_halves(size_t(batch) * m * k, 1),
                            b = random_halves(size_t(batch) * k * n, 2);
  DeviceArray<__half> d_a(a), d_b(b);
  DeviceArray<float> d_c(size_t(batch) * m * n);

  const dim3 grid((n + N - 1) / N, (m + M - 1) / M, batch);
  auto launch = [&](auto... arguments) {
    batched_matmul<M, N, K><<<grid, 1, 0, nullptr>>>(arguments..., batch, m, n, k);
    return cudaGetLastError();
  };
  CHECK(launch(d_a.get(), d_b.get(), d_c.get()));

  std::vector<double> expected(d_c.size());
  for (int p = 0; p < batch; ++p)
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j)
        for (int s = 0; s < k; ++s)
          expected[(size_t(p) * m + i) * n + j] += double(__half2float(a[(size_t(p) * m + i) * k + s])) *
                                                   __half2float(b[(size_t(p) * k + s) * n + j]);
  return compare("batched product", d_c.to_host(), expected, 1e-5);
}
