// One layer of a mixture of experts: out[t, :] = x[t, :] weights[expert of t], for tokens t of `width`
// floats.
//
// `tokens` lists the tokens of each expert one after the other, filled up to a multiple of 16 with a number
// that is no token; `expert_of` has the expert of each 16 of them. One block multiplies such 16 tokens and 32
// columns of the weights, so the grid is (ceil(columns / 32), groups). The rows of x and out lie where the
// tokens say: gather and scatter views take the tile of tokens as an index, and leave out rows that there are
// not.
#include "cuda_tile.h"

namespace ct = cuda::tiles;
using namespace ct::literals;

constexpr int group = 16;
constexpr int tile_k = 32;
constexpr int tile_columns = 32;

__tile_global__ void experts(const float* __restrict__ x, const float* __restrict__ weights,
                             const int* __restrict__ tokens, const int* __restrict__ expert_of,
                             float* __restrict__ out, int count, int experts_count, int groups, int width,
                             int columns) {
  ct::gather_scatter_view rows{ct::tensor_span{x, ct::extents{count, width}}, ct::shape<group, tile_k>{},
                               0_ic};
  ct::gather_scatter_view results{ct::tensor_span{out, ct::extents{count, columns}},
                                  ct::shape<group, tile_columns>{}, 0_ic};
  ct::partition_view matrix{ct::tensor_span{weights, ct::extents{experts_count, width, columns}},
                            ct::shape<1, tile_k, tile_columns>{}};
  ct::partition_view groups_of{ct::tensor_span{tokens, ct::extents{groups * group}}, ct::shape<group>{}};

  auto block = ct::bid();
  auto chosen = groups_of.load(block.y);
  int expert = expert_of[block.y];
  auto sum = ct::zeros<ct::tile<float, ct::shape<group, tile_columns>>>();
  for (int step : ct::irange(0, ct::ceildiv(width, tile_k))) {
    auto part = ct::reshape<ct::shape<tile_k, tile_columns>>(matrix.load_masked(expert, step, block.x));
    sum = ct::mma(rows.load_masked(chosen, step * tile_k), part, sum);
  }
  results.store_masked(sum, chosen, block.x * tile_columns);
}
