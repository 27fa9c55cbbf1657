// Transposes a matrix whose sizes are no multiples of the tile's, as a template over the element and the
// tile.
#include "common.h"

#include <cuda_tile.h>

namespace ct = cuda::tiles;

template <typename T, int Rows, int Columns = Rows>
__tile_global__ void transpose(const T* __restrict__ in, T* __restrict__ out, int rows, int columns) {
  ct::partition_view in_view{ct::tensor_span{in, ct::extents{rows, columns}}, ct::shape<Rows, Columns>{}};
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{columns, rows}}, ct::shape<Columns, Rows>{}};
  auto [x, y, z] = ct::bid();
  out_view.store_masked(ct::transpose(in_view.load_masked(y, x)), x, y);
}

template <typename T, int Rows, int Columns>
int run(const char* name, int rows, int columns) {
  std::vector<T> host(size_t(rows) * columns);
  for (size_t i = 0; i < host.size(); ++i)
    host[i] = static_cast<T>(i % 251);
  DeviceArray<T> in(host), out(host.size());
  const dim3 grid((columns + Columns - 1) / Columns, (rows + Rows - 1) / Rows);
  transpose<T, Rows, Columns><<<grid, 1>>>(in.get(), out.get(), rows, columns);
  CHECK(cudaGetLastError());
  const std::vector<T> found = out.to_host();
  int wrong = 0;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c)
      wrong += found[size_t(c) * rows + r] != host[size_t(r) * columns + c];
  std::printf("%s, %d x %d: %d wrong\n", name, rows, columns, wrong);
  return wrong;
}

int main() {
  int wrong = run<float, 32, 32>("float", 1000, 777);
  wrong += run<double, 16, 64>("double", 33, 1);
  wrong += run<unsigned char, 64, 64>("unsigned char", 129, 255);
  return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
