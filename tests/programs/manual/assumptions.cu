// The manual's examples of [2.15] and [2.16]. A kernel ex_NNN is run and its results are compared.
#include "programs.h"

// ex-135 [2.15]: what is printed there is stored here
__tile_global__ void ex_135(int x, int* out) {
  int y = ct::assume_bounded_below(x, 0_ic);

  if (y >= 0)
    out[0] = y;
  if (x >= 0)
    out[1] = x;
}

using i32x8x8 = ct::tile<int, ct::shape<8, 8>>;
using i32x2x8 = ct::tile<int, ct::shape<2, 8>>;

// ex-136 [2.15.1] to ex-143 [2.15.8]: on matrices that meet the assumptions
__tile_global__ void ex_136(int const* in, int* out) {
  auto x = ct::load(in + ct::iota<i32x8x8>());
  auto y = ct::assume_blocked(x, ct::shape{3_ic, 2_ic});
  ct::store(out + ct::iota<i32x8x8>(), y);
}
// ex-137 [2.15.2]
__tile_global__ void ex_137(int const* in, int* out) {
  auto x = ct::load(in + ct::iota<i32x2x8>());
  auto y = ct::assume_bounded(x, -10_ic, 100_ic);
  ct::store(out + ct::iota<i32x2x8>(), y);
}
// ex-138 [2.15.3]
__tile_global__ void ex_138(int const* in, int* out) {
  auto x = ct::load(in + ct::iota<i32x2x8>());
  auto y = ct::assume_bounded_above(x, 100_ic);
  ct::store(out + ct::iota<i32x2x8>(), y);
}
// ex-139 [2.15.4]
__tile_global__ void ex_139(int const* in, int* out) {
  auto x = ct::load(in + ct::iota<i32x2x8>());
  auto y = ct::assume_bounded_below(x, -10_ic);
  ct::store(out + ct::iota<i32x2x8>(), y);
}
// ex-140 [2.15.5]
__tile_global__ void ex_140(int const* in, int* out) {
  auto x = ct::load(in + ct::iota<i32x2x8>());
  auto y = ct::assume_divisible(x, 16_ic);
  ct::store(out + ct::iota<i32x2x8>(), y);
}
// ex-141 [2.15.6]
__tile_global__ void ex_141(int const* in, int* out) {
  auto x = ct::load(in + ct::iota<i32x2x8>());
  auto y = ct::assume_divisible_strided(x, 16_ic, 3_ic, 1_ic);
  ct::store(out + ct::iota<i32x2x8>(), y);
}
// ex-142 [2.15.7]: pointers 4 ints apart
__tile_global__ void ex_142(int* in, bool* out) {
  auto x = in + 4 * ct::iota<i32x2x8>();
  auto y = ct::assume_aligned(x, 16_ic);
  ct::store(out + ct::iota<i32x2x8>(), y == x);
}
// ex-143 [2.15.8]: runs of three pointers, with the printed offsets, from the middle of an array
__tile_global__ void ex_143(int* in, int const* offsets, bool* out) {
  auto x = in + 16 + ct::load(offsets + ct::iota<i32x2x8>());
  auto y = ct::assume_aligned_strided(x, 8_ic, 3_ic, 1_ic);
  ct::store(out + ct::iota<i32x2x8>(), y == x);
}

// ex-144 [2.16]: the first kind should be num_cta_in_cga, the shape's second length 128_ic
[[cutile::hint(0, num_cta_per_cga = 4)]]
__tile_global__ void ex_144(int* x, int* out) {
  auto S = ct::tensor_span{x, ct::shape{512_ic, 128_ic}};
  auto P = ct::partition_view{S, ct::shape{32_ic, 64_ic}};

  ct::tile<int, ct::shape<32, 64>> y;

  [[cutile::hint(0, allow_tma = false)]] y = P.load(0, 1);
  ct::store(out + ct::iota<ct::tile<int, ct::shape<32, 64>>>(), y);
}

// ex-145 [2.16.1]: the second hint, whose value is 3; the first is no hint at all
__tile_global__ void ex_145(int* y, int* out) {
  int x;
  [[cutile::hint(0, latency = (4, 3))]] x = ct::load(y);
  *out = x;
}

// ex-147 [2.16.1]: hints that belong to no expression statement
__tile__ inline int hinted_return(int* y) { [[cutile::hint(0, latency = 4)]] return ct::load(y); }
__tile_global__ void ex_147(int* y, int* out) {
  [[cutile::hint(0, latency = 4)]]
  auto x = ct::load(y);
  [[cutile::hint(0, latency = 4)]]
  if (auto x = ct::load(y))
    out[0] = x;
  out[1] = x;
  out[2] = hinted_return(y);
}

// ex-148, ex-149, ex-150 [2.16.1]: three ways to give a hint twice
__tile_global__ void ex_148(int* y, int* out) {
  int x;
  [[cutile::hint(0, latency = 4, latency = 5)]] x = ct::load(y);
  *out = x;
}
__tile_global__ void ex_149(int* y, int* out) {
  int x;
  [[cutile::hint(0, latency = 4)]] [[cutile::hint(0, latency = 5)]] x = ct::load(y);
  *out = x;
}
__tile_global__ void ex_150(int* y, int* out) {
  int x;
  [[using cutile: hint(0, latency = 4), hint(0, latency = 5)]] x = ct::load(y);
  *out = x;
}

// ex-151 [2.16.1]: printed on a __tile__ function, but for kernels
[[cutile::hint(0, num_cta_in_cga = 2)]]
__tile_global__ void ex_151(int* out) {
  *out = 1;
}

// ex-152 [2.16.1]: a hint for all architectures and one for sm_100
__tile_global__ void ex_152(int* x, int* out) {
  [[using cutile: hint(0, latency = 4), hint(1000, latency = 5)]] ct::load(x);
  *out = 1;
}

// ex-153 [2.16.2.1]
[[using cutile: hint(900, num_cta_in_cga = 4), hint(1000, num_cta_in_cga = 8)]]
__tile_global__ void ex_153(int* out) {
  *out = 1;
}

// ex-154 [2.16.2.2]
[[using cutile: hint(0, occupancy = 15), hint(900, occupancy = 22)]]
__tile_global__ void ex_154(int* out) {
  *out = 1;
}

// ex-155, ex-156 [2.16.2.3]
__tile_global__ void ex_155(int* x, int* y, int* out) {
  int z;
  [[cutile::hint(0, latency = 7)]] z = ct::load(x) + ct::load(y);
  *out = z;
}
__tile_global__ void ex_156(int* out) {
  auto ptr = out + ct::iota<tile<int, 4>>();
  auto z = ct::iota<tile<int, 4>>();
  [[cutile::hint(0, latency = 7)]] ct::store(ptr, z);
}

// ex-157 [2.16.2.3], ex-158 [2.16.2.4]: a partition copied onto itself
__tile_global__ void ex_157(int* ptr) {
  auto t = ct::tensor_span{ptr, ct::shape{128_ic, 4_ic}};
  auto p = ct::partition_view{t, ct::shape{4_ic, 4_ic}};

  ct::tile<int, ct::shape<4, 4>> value;

  [[cutile::hint(0, latency = 7)]] value = p.load(0, 0);

  [[cutile::hint(0, latency = 7)]] p.store(value + 1, 0, 0);
}
__tile_global__ void ex_158(int* ptr) {
  auto t = ct::tensor_span{ptr, ct::shape{128_ic, 4_ic}};
  auto p = ct::partition_view{t, ct::shape{4_ic, 4_ic}};

  ct::tile<int, ct::shape<4, 4>> value;

  [[cutile::hint(0, allow_tma = false)]] value = p.load(0, 0);

  [[cutile::hint(0, allow_tma = false)]] p.store(value + 1, 0, 0);
}
