// Dropout: out = x / (1 - p) where a random number is at least p, else 0. The random numbers come from a
// counter: element i always gets the first word of Philox-4x32-10 with counter i and the given seed, so that
// a backward pass can draw them again, whatever the tile size.
//
// One block takes Size elements, so the grid is ceil(n / Size).
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "cuda_tile.h"

namespace ct = cuda::tiles;

/// The first of the four words that Philox-4x32-10 makes of the counter (count, 0, 0, 0) and the key (seed,
/// 0).
template <typename Words>
__tile__ Words philox(Words count, uint32_t seed) {
  Words a = count;
  Words b = ct::zeros<Words>();
  Words c = ct::zeros<Words>();
  Words d = ct::zeros<Words>();
  uint32_t key0 = seed;
  uint32_t key1 = 0;
  for (int round : ct::irange(0, 10)) {
    Words high_a = ct::mulhi(a, 0xD2511F53u);
    Words low_a = a * 0xD2511F53u;
    Words high_c = ct::mulhi(c, 0xCD9E8D57u);
    Words low_c = c * 0xCD9E8D57u;
    a = high_c ^ b ^ key0;
    b = low_c;
    c = high_a ^ d ^ key1;
    d = low_a;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return a;
}

template <typename T, int Size = 1024>
[[cutile::hint(0, occupancy = 4)]]
__tile_global__ void dropout(const T* __restrict__ x, T* __restrict__ out, uint32_t n, float p,
                             uint32_t seed) {
  ct::partition_view x_view{ct::tensor_span{x, ct::extents{n}}, ct::shape<Size>{}};
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{n}}, ct::shape<Size>{}};

  auto block = ct::bid().x;
  auto index = static_cast<uint32_t>(block) * Size + ct::iota<ct::tile<uint32_t, ct::shape<Size>>>();
  auto random = ct::element_cast<float>(philox(index, seed) >> 8u) * 0x1p-24f; // from 0 to 1, without 1
  auto kept = ct::element_cast<float>(x_view.load_masked(block)) * (1.0f / (1.0f - p));
  out_view.store_masked(ct::element_cast<T>(ct::select(random >= p, kept, ct::zeros<decltype(kept)>())),
                        block);
}
