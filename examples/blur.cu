// One pass of a separable filter over pictures of height x width floats, stored one after another (one for
// each colour). With s = t - radius for the taps t = 0 ... 2 radius:
//     out[y, x] = sum over t of weights[t] * in[y + s * step_y, x + s * step_x]
// Pixels past an edge count as the edge's own. A pass with steps (0, 1), then one with (1, 0), blur in two
// dimensions.
//
// One block computes 8 x 128 pixels of one picture, so the grid is (ceil(width / 128), ceil(height / 8),
// pictures). The windows of neighbouring pixels overlap: their tiles are loaded through tiles of pointers.
#include "cuda_tile.h"

namespace ct = cuda::tiles;

constexpr int tile_height = 8;
constexpr int tile_width = 128;

__tile_global__ void blur_pass(const float* __restrict__ in, float* __restrict__ out,
                               const float* __restrict__ weights, int radius, int height, int width,
                               int step_y, int step_x) {
  auto block = ct::bid();
  auto picture_offset = static_cast<long long>(block.z) * height * width;
  auto picture = in + picture_offset;
  auto y = static_cast<int>(block.y) * tile_height + ct::iota<ct::tile<int, ct::shape<tile_height, 1>>>();
  auto x = static_cast<int>(block.x) * tile_width + ct::iota<ct::tile<int, ct::shape<1, tile_width>>>();

  auto sum = ct::zeros<ct::tile<float, ct::shape<tile_height, tile_width>>>();
  for (int tap : ct::irange(-radius, radius + 1)) {
    auto source_y = ct::min(ct::max(y + tap * step_y, 0), height - 1);
    auto source_x = ct::min(ct::max(x + tap * step_x, 0), width - 1);
    sum = sum + weights[tap + radius] * ct::load(picture + (source_y * width + source_x));
  }

  ct::partition_view out_view{ct::tensor_span{out + picture_offset, ct::extents{height, width}},
                              ct::shape<tile_height, tile_width>{}};
  out_view.store_masked(sum, block.y, block.x);
}
