// Layer normalisation of the rows of a matrix, compared with double precision on the host.
#include "common.h"

#include <cuda_tile.h>

namespace ct = cuda::tiles;
using namespace ct::literals;

constexpr int width = 512; // at least the number of columns

__tile_global__ void layer_norm(const float* in, const float* weight, const float* bias, float* out, int rows,
                                int columns, float epsilon) {
  ct::extents size{rows, columns};
  ct::partition_view in_rows{ct::tensor_span{in, size}, ct::shape<1, width>{}};
  ct::partition_view out_rows{ct::tensor_span{out, size}, ct::shape<1, width>{}};
  ct::partition_view weights{ct::tensor_span{weight, ct::extents{columns}}, ct::shape<width>{}};
  ct::partition_view biases{ct::tensor_span{bias, ct::extents{columns}}, ct::shape<width>{}};

  const auto row = ct::bid().x;
  auto x = in_rows.load_masked(row, 0);
  auto is_column = ct::iota<ct::tile<int, ct::shape<1, width>>>() < columns;
  auto mean = ct::sum(x, 1_ic) / static_cast<float>(columns);
  auto distance = ct::select(is_column, x - mean, ct::zeros<decltype(x)>());
  auto variance = ct::sum(distance * distance, 1_ic) / static_cast<float>(columns);
  auto normal = distance / ct::sqrt(variance + epsilon);
  out_rows.store_masked(normal * weights.load_masked(0) + biases.load_masked(0), row, 0);
}

std::vector<double> expected(const std::vector<float>& x, const std::vector<float>& weight,
                             const std::vector<float>& bias, int rows, int columns, double epsilon) {
  std::vector<double> out(x.size());
  for (int r = 0; r < rows; ++r) {
    const float* row = &x[size_t(r) * columns];
    double mean = 0, variance = 0;
    for (int c = 0; c < columns; ++c)
      mean += row[c] / double(columns);
    for (int c = 0; c < columns; ++c)
      variance += (row[c] - mean) * (row[c] - mean) / columns;
    for (int c = 0; c < columns; ++c)
      out[size_t(r) * columns + c] = (row[c] - mean) / std::sqrt(variance + epsilon) * weight[c] + bias[c];
  }
  return out;
}

int main() {
  const int rows = 77, columns = 500;
  const float epsilon = 1e-5f;
  const auto x = random_floats(size_t(rows) * columns, -3, 5), weight = random_floats(columns, 0, 2, 2),
             bias = random_floats(columns, -1, 1, 3);
  DeviceArray<float> d_x(x), d_weight(weight), d_bias(bias), d_out(x.size());
  layer_norm<<<rows, 1>>>(d_x.get(), d_weight.get(), d_bias.get(), d_out.get(), rows, columns, epsilon);
  CHECK(cudaGetLastError());
  return compare("layer norm", d_out.to_host(), expected(x, weight, bias, rows, columns, epsilon), 1e-5);
}
