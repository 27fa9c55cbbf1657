// Flash attention, forward: out = softmax(q k^T / sqrt(dim)) v for each head, where with Causal a query sees
// only the keys up to its own position. The scores never reach memory: the block walks over the keys and
// keeps each query's maximum, sum of exponentials and weighted sum of values so far.
//
// All arrays are heads x length x dim, with dim up to D. One block computes Queries queries of one head, so
// the grid is (ceil(length / Queries), heads). Masked loads pad with zeros; keys past the end must not count.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>

#include "cuda_tile.h"

namespace ct = cuda::tiles;
using namespace ct::literals;

template <typename T, bool Causal, int D = 64, int Queries = 32, int Keys = 32>
[[cutile::hint(0, occupancy = 2)]]
__tile_global__ void attention(const T* __restrict__ q, const T* __restrict__ k, const T* __restrict__ v,
                               T* __restrict__ out, int heads, int length, int dim) {
  ct::extents size{heads, length, dim};
  ct::partition_view q_view{ct::tensor_span{q, size}, ct::shape<1, Queries, D>{}};
  ct::partition_view k_view{ct::tensor_span{k, size}, ct::shape<1, Keys, D>{}};
  ct::partition_view v_view{ct::tensor_span{v, size}, ct::shape<1, Keys, D>{}};
  ct::partition_view out_view{ct::tensor_span{out, size}, ct::shape<1, Queries, D>{}};

  auto block = static_cast<int>(ct::bid().x);
  auto head = ct::bid().y;
  auto query = ct::reshape(q_view.load_masked(head, block, 0), ct::shape<Queries, D>{});
  auto position = block * Queries + ct::iota<ct::tile<int, ct::shape<Queries, 1>>>();
  auto log2e_over_root = ct::rsqrt(static_cast<float>(dim)) * 1.44269504f; // exp2 is faster than exp

  auto most = ct::full<ct::tile<float, ct::shape<Queries, 1>>>(-1e30f);
  auto total = ct::zeros<ct::tile<float, ct::shape<Queries, 1>>>();
  auto sum = ct::zeros<ct::tile<float, ct::shape<Queries, D>>>();
  int seen = Causal ? ct::min(length, (block + 1) * Queries) : length;
  for (int step : ct::irange(0, ct::ceildiv(seen, Keys))) {
    auto key = ct::reshape(k_view.load_masked(head, step, 0), ct::shape<Keys, D>{});
    auto value = ct::reshape(v_view.load_masked(head, step, 0), ct::shape<Keys, D>{});

    auto zero = ct::zeros<ct::tile<float, ct::shape<Queries, Keys>>>();
    auto score = ct::mma(query, ct::transpose(key), zero) * log2e_over_root;
    auto index = step * Keys + ct::iota<ct::tile<int, ct::shape<1, Keys>>>();
    auto visible = index < length && (!Causal || index <= position);
    score = ct::select(visible, score, ct::full<decltype(score)>(-INFINITY));

    auto new_most = ct::max(most, ct::reduce_max(score, 1_ic));
    auto weight = ct::exp2(score - new_most);
    auto shrink = ct::exp2(most - new_most);
    total = total * shrink + ct::sum(weight, 1_ic);
    sum = ct::mma(ct::element_cast<T>(weight), value, sum * shrink);
    most = new_most;
  }
  auto result = ct::element_cast<T>(sum / total);
  out_view.store_masked(ct::reshape(result, ct::shape<1, Queries, D>{}), head, block, 0);
}
