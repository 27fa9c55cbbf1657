// Running sums of a long vector in three launches: of each block's part, of the parts' totals, and both
// added.
#include "common.h"

#include <cuda_tile.h>

namespace ct = cuda::tiles;
using namespace ct::literals;

constexpr int part = 256;

__tile_global__ void scan_parts(const int* in, int* out, int* totals, int n) {
  ct::partition_view in_view{ct::tensor_span{in, ct::extents{n}}, ct::shape<part>{}};
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{n}}, ct::shape<part>{}};
  const auto block = ct::bid().x;
  auto values = in_view.load_masked(block); // zeros behind the end
  out_view.store_masked(ct::partial_sum(values, 0_ic), block);
  ct::store(totals + static_cast<int>(block) + ct::zeros<ct::tile<int, ct::shape<1>>>(),
            ct::sum(values, 0_ic));
}

__tile_global__ void add_to_parts(int* out, const int* before, int n) {
  ct::partition_view view{ct::tensor_span{out, ct::extents{n}}, ct::shape<part>{}};
  const auto block = ct::bid().x;
  if (block > 0)
    view.store_masked(view.load_masked(block) + before[block - 1], block);
}

/// Scans `in` to `out` on the device, with as many levels as the length needs.
void scan(const int* in, int* out, int n) {
  const int blocks = (n + part - 1) / part;
  DeviceArray<int> totals(blocks), before(blocks);
  scan_parts<<<blocks, 1>>>(in, out, totals.get(), n);
  CHECK(cudaGetLastError());
  if (blocks == 1)
    return;
  scan(totals.get(), before.get(), blocks);
  add_to_parts<<<blocks, 1>>>(out, before.get(), n);
  CHECK(cudaGetLastError());
}

int main() {
  for (int n : {1, 255, 256, 257, 100'001}) {
    std::vector<int> values(n);
    for (int i = 0; i < n; ++i)
      values[i] = (i * 7919) % 201 - 100;
    DeviceArray<int> in(values), out(n);
    scan(in.get(), out.get(), n);
    const auto sums = out.to_host();
    long long sum = 0;
    for (int i = 0; i < n; ++i)
      if (sums[i] != (sum += values[i])) {
        std::printf("n = %d: wrong at %d: %d instead of %lld\n", n, i, sums[i], sum);
        return EXIT_FAILURE;
      }
    std::printf("n = %d: right\n", n);
  }
}
