// SwiGLU, the gate of a transformer's feed-forward layer: out = silu(gate) * up, with silu(v) = v / (1 +
// exp(-v)).
//
// All three arrays have n elements. One block computes Size of them, so the grid is ceil(n / Size).
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cuda_tile.h"

namespace ct = cuda::tiles;

template <typename T, int Size = 1024>
[[cutile::hint(0, occupancy = 4)]]
__tile_global__ void swiglu(const T* __restrict__ gate, const T* __restrict__ up, T* __restrict__ out,
                            int n) {
  ct::partition_view gate_view{ct::tensor_span{gate, ct::extents{n}}, ct::shape<Size>{}};
  ct::partition_view up_view{ct::tensor_span{up, ct::extents{n}}, ct::shape<Size>{}};
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{n}}, ct::shape<Size>{}};

  auto block = ct::bid().x;
  auto g = ct::element_cast<float>(gate_view.load_masked(block));
  auto u = ct::element_cast<float>(up_view.load_masked(block));
  out_view.store_masked(ct::element_cast<T>(g / (1.0f + ct::exp(-g)) * u), block);
}
