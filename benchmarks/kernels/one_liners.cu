// What NumPy says in a line or two, with tiles as code for GPUs has them: 1024 elements a block, a row a
// block, products of 128 x 128 x 64.
#include "cuda_tile.h"

namespace ct = cuda::tiles;
using namespace ct::literals;

template <int tile>
auto part(float* x, int n) {
  return ct::partition_view{ct::tensor_span{x, ct::extents{n}}, ct::shape<tile>{}};
}
template <int tile>
auto part(const float* x, int n) {
  return ct::partition_view{ct::tensor_span{x, ct::extents{n}}, ct::shape<tile>{}};
}
template <int width>
auto row_of(const float* x, int rows, int columns) {
  return ct::partition_view{ct::tensor_span{x, ct::extents{rows, columns}}, ct::shape<1, width>{}};
}

/// out = sqrt(a * a + b * b), each of n floats. Grid: ceil(n / tile).
template <int tile>
__tile_global__ void lengths(const float* __restrict__ a, const float* __restrict__ b,
                             float* __restrict__ out, int n) {
  auto block = ct::bid().x;
  auto x = part<tile>(a, n).load_masked(block), y = part<tile>(b, n).load_masked(block);
  part<tile>(out, n).store_masked(ct::sqrt(x * x + y * y), block);
}

/// out = where(x > 0, x, 0.01 * x), through tiles of pointers. Grid: ceil(n / tile).
template <int tile>
__tile_global__ void leaky_relu(const float* __restrict__ x, float* __restrict__ out, int n) {
  auto at = static_cast<int>(ct::bid().x) * tile + ct::iota<ct::tile<int, ct::shape<tile>>>();
  auto inside = at < n;
  auto value = ct::load_masked(x + at, inside);
  ct::store_masked(out + at, ct::select(value > 0.0f, value, 0.01f * value), inside);
}

/// One step of Adam, in place. Grid: ceil(n / tile).
template <int tile>
__tile_global__ void adam(float* __restrict__ parameters, float* __restrict__ mean,
                          float* __restrict__ square, const float* __restrict__ gradients, float rate,
                          int n) {
  auto block = ct::bid().x;
  auto p = part<tile>(parameters, n), m = part<tile>(mean, n), v = part<tile>(square, n);
  auto g = part<tile>(gradients, n).load_masked(block);
  auto first = 0.9f * m.load_masked(block) + 0.1f * g;
  auto second = 0.999f * v.load_masked(block) + 0.001f * (g * g);
  p.store_masked(p.load_masked(block) - rate * first / (ct::sqrt(second) + 1e-8f), block);
  m.store_masked(first, block);
  v.store_masked(second, block);
}

/// out = (x - x.mean(1)) / x.std(1) of rows of up to `width`. Grid: rows.
template <int width>
__tile_global__ void standardize(const float* __restrict__ x, float* __restrict__ out, int rows,
                                 int columns) {
  auto row = ct::bid().x;
  auto v = row_of<width>(x, rows, columns).load_masked(row, 0);
  auto count = static_cast<float>(columns);
  auto inside = ct::iota<ct::tile<int, ct::shape<1, width>>>() < columns;
  auto apart = ct::select(inside, v - ct::sum(v, 1_ic) / count, ct::zeros<decltype(v)>());
  auto deviation = ct::sqrt(ct::sum(apart * apart, 1_ic) / count);
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{rows, columns}}, ct::shape<1, width>{}};
  out_view.store_masked(apart / deviation, row, 0);
}

/// out = log(sum(exp(x), 1)) of rows of up to `width`, without overflow. Grid: rows.
template <int width>
__tile_global__ void log_sum_exp(const float* __restrict__ x, float* __restrict__ out, int rows,
                                 int columns) {
  auto row = static_cast<int>(ct::bid().x);
  auto view = row_of<width>(x, rows, columns);
  auto v = view.load_masked(ct::view_padding_negative_inf_t{}, row, 0);
  auto most = ct::reduce_max(v, 1_ic);
  auto result = most + ct::log(ct::sum(ct::exp(v - most), 1_ic));
  ct::store(out + row, ct::reshape(result, ct::shape<>{}));
}

/// out = maximum(x @ weight + bias, 0), with x of m x k and weight of k x n. Grid: (ceil(n / tile_n), ceil(m
/// / tile_m)).
template <int tile_m, int tile_n, int tile_k>
__tile_global__ void linear_relu(const float* __restrict__ x, const float* __restrict__ weight,
                                 const float* __restrict__ bias, float* __restrict__ out, int m, int n,
                                 int k) {
  ct::partition_view x_view{ct::tensor_span{x, ct::extents{m, k}}, ct::shape<tile_m, tile_k>{}};
  ct::partition_view weight_view{ct::tensor_span{weight, ct::extents{k, n}}, ct::shape<tile_k, tile_n>{}};
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{m, n}}, ct::shape<tile_m, tile_n>{}};
  auto row = ct::bid().y, column = ct::bid().x;
  auto sum = ct::zeros<ct::tile<float, ct::shape<tile_m, tile_n>>>();
  for (int step : ct::irange(0, ct::ceildiv(k, tile_k)))
    sum = ct::mma(x_view.load_masked(row, step), weight_view.load_masked(step, column), sum);
  auto with_bias = sum + part<tile_n>(bias, n).load_masked(column);
  out_view.store_masked(ct::max(with_bias, ct::zeros<decltype(with_bias)>()), row, column);
}
