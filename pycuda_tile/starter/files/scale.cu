// out = factor * x, each of n floats. One block scales one tile of 1024 elements, so the grid is ceil(n / 1024).
#include "cuda_tile.h"

namespace ct = cuda::tiles;

__tile_global__ void scale(const float* __restrict__ x, float* __restrict__ out, float factor, int n) {
  ct::partition_view from{ct::tensor_span{x, ct::extents{n}}, ct::shape<1024>{}};
  ct::partition_view to{ct::tensor_span{out, ct::extents{n}}, ct::shape<1024>{}};
  auto index = ct::bid().x;
  to.store_masked(from.load_masked(index) * factor, index);
}
