// Vector addition: out = a + b, each of n floats.
//
// One block adds one tile of 1024 elements, so the grid is ceil(n / 1024). Loads and stores are masked, so n
// need not be a multiple of the tile size. The three arrays start at addresses divisible by 16.
#include "cuda_tile.h"

namespace ct = cuda::tiles;
using namespace ct::literals;

__tile_global__ void vector_add(const float* __restrict__ a, const float* __restrict__ b,
                                float* __restrict__ out, int n) {
  a = ct::assume_aligned(a, 16_ic);
  b = ct::assume_aligned(b, 16_ic);
  out = ct::assume_aligned(out, 16_ic);

  ct::partition_view a_view{ct::tensor_span{a, ct::extents{n}}, ct::shape{1024_ic}};
  ct::partition_view b_view{ct::tensor_span{b, ct::extents{n}}, ct::shape{1024_ic}};
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{n}}, ct::shape{1024_ic}};

  auto index = ct::bid().x;
  out_view.store_masked(a_view.load_masked(index) + b_view.load_masked(index), index);
}
