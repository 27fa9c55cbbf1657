// Rotary position embedding: each pair (x[i], x[i + Half]) of a head is rotated by the angle of its token and
// i.
//
// x and out are tokens x heads x 2 Half, cos and sin are tokens x Half floats. One block rotates up to Heads
// heads of one token, so the grid is (tokens, ceil(heads / Heads)).
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cuda_tile.h"

namespace ct = cuda::tiles;

template <typename T, int Half, int Heads = 8>
[[cutile::hint(0, occupancy = 4)]]
__tile_global__ void rotary(const T* __restrict__ x, const float* __restrict__ cos,
                            const float* __restrict__ sin, T* __restrict__ out, int tokens, int heads) {
  ct::extents size{tokens, heads, ct::integral_constant<2 * Half>{}};
  ct::extents angles{tokens, ct::integral_constant<Half>{}};
  ct::partition_view x_view{ct::tensor_span{x, size}, ct::shape<1, Heads, Half>{}};
  ct::partition_view out_view{ct::tensor_span{out, size}, ct::shape<1, Heads, Half>{}};
  ct::partition_view cos_view{ct::tensor_span{cos, angles}, ct::shape<1, Half>{}};
  ct::partition_view sin_view{ct::tensor_span{sin, angles}, ct::shape<1, Half>{}};

  auto [token, block, _] = ct::bid();
  auto first = ct::element_cast<float>(x_view.load_masked(token, block, 0));
  auto second = ct::element_cast<float>(x_view.load_masked(token, block, 1));
  auto c = cos_view.load(token, 0);
  auto s = sin_view.load(token, 0);
  out_view.store_masked(ct::element_cast<T>(first * c - second * s), token, block, 0);
  out_view.store_masked(ct::element_cast<T>(second * c + first * s), token, block, 1);
}
