// Softmax of rows of different lengths, by the kernel whose tile is wide enough: an array of kernels.
#include "common.h"

#include <cuda_tile.h>

namespace ct = cuda::tiles;
using namespace ct::literals;

template <int Width>
__tile_global__ void softmax(const float* in, float* out, int rows, int columns) {
  ct::partition_view in_rows{ct::tensor_span{in, ct::extents{rows, columns}}, ct::shape<1, Width>{}};
  ct::partition_view out_rows{ct::tensor_span{out, ct::extents{rows, columns}}, ct::shape<1, Width>{}};
  const auto row = ct::bid().x;
  auto x = in_rows.load_masked(ct::view_padding_negative_inf_t{}, row, 0);
  auto powers = ct::exp(x - ct::reduce_max(x, 1_ic));
  out_rows.store_masked(powers / ct::sum(powers, 1_ic), row, 0);
}

using Kernel = void (*)(const float*, float*, int, int);
struct Choice {
  int width;
  Kernel kernel;
};
static const Choice choices[] = {{64, softmax<64>}, {256, softmax<256>}, {1024, softmax<1024>}};

int run(int rows, int columns) {
  const auto x = random_floats(size_t(rows) * columns, -8, 8);
  DeviceArray<float> in(x), out(x.size());
  int i = 0;
  while (choices[i].width < columns)
    ++i;
  choices[i].kernel<<<rows, 1>>>(in.get(), out.get(), rows, columns);
  CHECK(cudaGetLastError());

  std::vector<double> expected(x.size());
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int c = 0; c < columns; ++c)
      sum += expected[size_t(r) * columns + c] = std::exp(double(x[size_t(r) * columns + c]));
    for (int c = 0; c < columns; ++c)
      expected[size_t(r) * columns + c] /= sum;
  }
  char what[80];
  std::snprintf(what, sizeof what, "%d columns, tile of %d", columns, choices[i].width);
  return compare(what, out.to_host(), expected, 1e-6);
}

int main() { return run(10, 1) | run(7, 64) | run(5, 65) | run(3, 1000); }
