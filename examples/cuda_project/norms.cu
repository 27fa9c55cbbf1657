// A tile kernel that adds up squares: each block its part, by an atomic addition to the result.
#include "norms.h"

#include <cuda_runtime.h>
#include <cuda_tile.h>

namespace ct = cuda::tiles;
using namespace ct::literals;

namespace {

template <int Elements>
__tile_global__ void add_squares(const float* values, float* result, int n) {
  ct::partition_view view{ct::tensor_span{values, ct::extents{n}}, ct::shape<Elements>{}};
  auto x = view.load_masked(ct::bid().x);
  ct::atomic_add(result + ct::zeros<ct::tile<int, ct::shape<1>>>(), ct::sum(x * x, 0_ic),
                 ct::memory_order_relaxed_t{}, ct::thread_scope_device_t{});
}

} // namespace

void sum_of_squares(const float* values, float* result, int n) {
  cudaMemset(result, 0, sizeof(float));
  add_squares<BLOCK><<<(n + BLOCK - 1) / BLOCK, 1>>>(values, result, n);
}
