// Causal attention: out = softmax(q k^T / sqrt(dim), of the keys up to the query's place) v, for each head.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cuda_tile.h"

namespace ct = cuda::tiles;
using namespace ct::literals;

/// Arrays of heads x length x dim. One block answers tile_q queries. Grid: (ceil(length / tile_q), heads).
template <typename E, int tile_q, int tile_k, int dim>
__tile_global__ void attention(const E* __restrict__ q, const E* __restrict__ k, const E* __restrict__ v,
                               E* __restrict__ out, int heads, int length, float scale) {
  using q_shape = ct::shape<1, tile_q, dim>;
  using k_shape = ct::shape<1, tile_k, dim>;
  auto extents = ct::extents{heads, length, dim};
  ct::partition_view q_view{ct::tensor_span{q, extents}, q_shape{}};
  ct::partition_view k_view{ct::tensor_span{k, extents}, k_shape{}};
  ct::partition_view v_view{ct::tensor_span{v, extents}, k_shape{}};
  ct::partition_view out_view{ct::tensor_span{out, extents}, q_shape{}};

  auto head = ct::bid().y;
  auto block = static_cast<int>(ct::bid().x);
  auto queries = ct::reshape(q_view.load_masked(head, block, 0), ct::shape<tile_q, dim>{});
  auto query =
      block * tile_q + ct::reshape(ct::iota<ct::tile<int, ct::shape<tile_q>>>(), ct::shape<tile_q, 1>{});
  using column = ct::tile<float, ct::shape<tile_q, 1>>;
  auto greatest = ct::full<column>(-1e30f);
  auto total = ct::zeros<column>();
  auto sum = ct::zeros<ct::tile<float, ct::shape<tile_q, dim>>>();

  for (int step : ct::irange(0, ct::ceildiv(ct::min((block + 1) * tile_q, length), tile_k))) {
    auto keys = ct::reshape(k_view.load_masked(head, step, 0), ct::shape<tile_k, dim>{});
    auto values = ct::reshape(v_view.load_masked(head, step, 0), ct::shape<tile_k, dim>{});
    auto scores =
        ct::mma(queries, ct::transpose(keys), ct::zeros<ct::tile<float, ct::shape<tile_q, tile_k>>>());
    auto key = step * tile_k + ct::iota<ct::tile<int, ct::shape<1, tile_k>>>();
    auto masked = ct::select(key <= query && key < length, scores * scale,
                             ct::full<ct::tile<float, ct::shape<tile_q, tile_k>>>(-1e30f));
    auto now = ct::max(greatest, ct::reduce_max(masked, 1_ic));
    auto weights = ct::exp(masked - now);
    auto decay = ct::exp(greatest - now);
    total = total * decay + ct::sum(weights, 1_ic);
    sum = ct::mma(ct::element_cast<E>(weights), values, sum * decay);
    greatest = now;
  }
  out_view.store_masked(ct::reshape(ct::element_cast<E>(sum / total), q_shape{}), head, block, 0);
}
