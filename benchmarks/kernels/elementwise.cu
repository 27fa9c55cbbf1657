// Elementwise work: a copy, a sum of two arrays, a bias with GELU, and a chain of ten steps. One block a
// tile.
#include "cuda_tile.h"

namespace ct = cuda::tiles;

/// out = in, each of n floats. Grid: ceil(n / tile).
template <int tile>
__tile_global__ void copy(const float* __restrict__ in, float* __restrict__ out, int n) {
  ct::partition_view in_view{ct::tensor_span{in, ct::extents{n}}, ct::shape<tile>{}};
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{n}}, ct::shape<tile>{}};
  auto block = ct::bid().x;
  out_view.store_masked(in_view.load_masked(block), block);
}

/// out = a + b, each of n floats. Grid: ceil(n / tile).
template <int tile>
__tile_global__ void vector_add(const float* __restrict__ a, const float* __restrict__ b,
                                float* __restrict__ out, int n) {
  ct::partition_view a_view{ct::tensor_span{a, ct::extents{n}}, ct::shape<tile>{}};
  ct::partition_view b_view{ct::tensor_span{b, ct::extents{n}}, ct::shape<tile>{}};
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{n}}, ct::shape<tile>{}};
  auto block = ct::bid().x;
  out_view.store_masked(a_view.load_masked(block) + b_view.load_masked(block), block);
}

/// The same, for `steps` tiles a block. Grid: ceil(n / (steps * tile)).
template <int tile, int steps>
__tile_global__ void vector_add_of_steps(const float* __restrict__ a, const float* __restrict__ b,
                                         float* __restrict__ out, int n) {
  ct::partition_view a_view{ct::tensor_span{a, ct::extents{n}}, ct::shape<tile>{}};
  ct::partition_view b_view{ct::tensor_span{b, ct::extents{n}}, ct::shape<tile>{}};
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{n}}, ct::shape<tile>{}};
  int begin = static_cast<int>(ct::bid().x) * steps;
  for (int step : ct::irange(begin, ct::min(begin + steps, ct::ceildiv(n, tile))))
    out_view.store_masked(a_view.load_masked(step) + b_view.load_masked(step), step);
}

/// out = gelu(in + bias), the form with tanh; in and out of rows x columns. Grid: (ceil(columns / tile),
/// rows).
template <int tile>
__tile_global__ void bias_gelu(const float* __restrict__ in, const float* __restrict__ bias,
                               float* __restrict__ out, int rows, int columns) {
  ct::partition_view in_view{ct::tensor_span{in, ct::extents{rows, columns}}, ct::shape<1, tile>{}};
  ct::partition_view bias_view{ct::tensor_span{bias, ct::extents{columns}}, ct::shape<tile>{}};
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{rows, columns}}, ct::shape<1, tile>{}};
  auto block = ct::bid();
  auto x = in_view.load_masked(block.y, block.x) + bias_view.load_masked(block.x);
  auto inner = 0.7978845608f * (x + 0.044715f * (x * x * x));
  out_view.store_masked(0.5f * x * (1.0f + ct::tanh(inner)), block.y, block.x);
}

/// Ten products and sums with constants, in place. Grid: ceil(n / tile).
template <int tile>
__tile_global__ void ten_steps(float* __restrict__ x, int n) {
  ct::partition_view view{ct::tensor_span{x, ct::extents{n}}, ct::shape<tile>{}};
  auto block = ct::bid().x;
  auto y = view.load_masked(block);
  y = y * 0.5f;
  y = y + 1.0f;
  y = y * 0.75f;
  y = y + 2.0f;
  y = y * 0.5f;
  y = y + 3.0f;
  y = y * 0.25f;
  y = y + 4.0f;
  y = y * 0.5f;
  y = y + 5.0f;
  view.store_masked(y, block);
}
