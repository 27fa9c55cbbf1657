// The kernel: out = a * x + y, each operation rounded for itself.
#pragma once

#include "cuda_tile.h"

namespace ct = cuda::tiles;

inline constexpr int elements = 256; // of a block's tile

__tile_global__ void axpy(float a, float const* x, float const* y, float* out, int n) {
  auto const part = [n](auto* data) {
    return ct::partition_view{ct::tensor_span{data, ct::extents{n}}, ct::shape<elements>{}};
  };
  auto const i = ct::bid().x;
  part(out).store_masked(part(x).load_masked(i) * a + part(y).load_masked(i), i);
}
