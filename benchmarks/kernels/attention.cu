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
  auto block = static_cast<int>(ct::bid().x);
  auto head = static_cast<long long>(ct::bid().y) * length * dim;
  auto extents = ct::extents{length, dim};
  ct::partition_view q_view{ct::tensor_span{q + head, extents}, ct::shape<tile_q, dim>{}};
  ct::partition_view k_view{ct::tensor_span{k + head, extents}, ct::shape<tile_k, dim>{}};
  ct::partition_view v_view{ct::tensor_span{v + head, extents}, ct::shape<tile_k, dim>{}};
  ct::partition_view out_view{ct::tensor_span{out + head, extents}, ct::shape<tile_q, dim>{}};

  using column = ct::tile<float, ct::shape<tile_q, 1>>;
  using square = ct::tile<float, ct::shape<tile_q, tile_k>>;
  auto queries = q_view.load_masked(block, 0);
  auto query =
      block * tile_q + ct::reshape(ct::iota<ct::tile<int, ct::shape<tile_q>>>(), ct::shape<tile_q, 1>{});
  auto greatest = ct::full<column>(-1e30f);
  auto total = ct::zeros<column>();
  auto sum = ct::zeros<ct::tile<float, ct::shape<tile_q, dim>>>();

  for (int step : ct::irange(0, ct::ceildiv(ct::min((block + 1) * tile_q, length), tile_k))) {
    auto keys = k_view.load_masked(step, 0);
    auto values = v_view.load_masked(step, 0);
    auto scores = ct::mma(queries, ct::transpose(keys), ct::zeros<square>()) * scale;
    if ((step + 1) * tile_k > block * tile_q) { // some of these keys come after some of the queries
      auto key = step * tile_k + ct::iota<ct::tile<int, ct::shape<1, tile_k>>>();
      scores = ct::select(key <= query, scores, ct::full<square>(-1e30f));
    }
    auto now = ct::max(greatest, ct::reduce_max(scores, 1_ic));
    auto weights = ct::exp(scores - now);
    auto decay = ct::exp(greatest - now);
    total = total * decay + ct::sum(weights, 1_ic);
    sum = ct::mma(ct::element_cast<E>(weights), values, sum * decay);
    greatest = now;
  }
  out_view.store_masked(ct::element_cast<E>(sum / total), block, 0);
}
