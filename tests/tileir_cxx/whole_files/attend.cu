// attention-like, pointers to small floats, hints, assume, vector types, while and early return
#include "cuda_tile.h"
#include "cuda_fp16.h"
#include <cmath>
#include <functional>
namespace ct = cuda::tiles; using namespace ct::literals;
using f16 = __half;
__tile__ float4 lerp(float4 a, float4 b, float t) { return make_float4(a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z, a.w); }
[[cutile::hint(0, occupancy=2)]]
__tile_global__ void attend(const f16* __restrict__ q, const f16* __restrict__ k, float* __restrict__ o, int n, float scale) {
  q = ct::assume_aligned(q, 16_ic);
  auto Q = ct::partition_view{ct::tensor_span{q, ct::extents{n, 32_ic}}, ct::shape{16_ic, 32_ic}};
  auto K = ct::partition_view{ct::tensor_span{k, ct::extents{n, 32_ic}}, ct::shape{16_ic, 32_ic}};
  int b = ct::bid().x;
  if (b * 16 >= n) return;
  ct::tile<f16, ct::shape<16, 32>> tq = Q.load_masked(b, 0);
  auto m = ct::full<ct::tile<float, ct::shape<16, 1>>>(-INFINITY);
  int j = 0;
  while (j * 16 < n) {
    auto s = ct::mma(tq, ct::transpose(K.load_masked(j, 0)), ct::zeros<ct::tile<float, ct::shape<16, 16>>>()) * scale;
    m = ct::max(m, ct::reduce_max(s, 1_ic));
    ++j;
  }
  auto i = ct::iota<ct::tile<int, ct::shape<16, 1>>>();
  ct::store_masked(o + (i + b * 16), m, i + b * 16 < n);
}
__tile_global__ void vectors(float4* v, int n, float t) {
  for (int i = 0; i + 1 < n; ++i) v[i] = lerp(v[i], v[i + 1], t);
}
std::function<void()> callback = [] {};
