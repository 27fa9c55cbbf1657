// The manual's examples of undefined behaviour [3.1]: they compile, and are not run.
#include "programs.h"

using i32x4 = ct::tile<int, ct::shape<4>>;

// ex-159 to ex-163: overflow of signed char, which is not promoted
__tile_global__ void ex_159(signed char* out) {
  signed char x = 127;
  signed char y = 1;
  auto z = ct::add(x, y);
  *out = z;
}
// ex-160
__tile_global__ void ex_160(signed char* out) {
  signed char x = -128;
  signed char y = 1;
  auto z = ct::sub(x, y);
  *out = z;
}
// ex-161
__tile_global__ void ex_161(signed char* out) {
  using i8 = ct::tile<signed char, ct::shape<>>;
  auto x = ct::full<i8>(-128);
  auto y = -x;
  ct::store(out, y);
}
// ex-162
__tile_global__ void ex_162(signed char* out) {
  signed char x = -128;
  signed char y = -1;
  auto z = ct::mul(x, y);
  *out = z;
}
// ex-163
__tile_global__ void ex_163(signed char* out) {
  signed char x = -128;
  signed char y = -1;
  auto z0 = ct::div(x, y);
  auto z1 = ct::ceildiv(x, y);
  auto z2 = ct::floordiv(x, y);
  auto z3 = ct::remainder(x, y);
  out[0] = z0, out[1] = z1, out[2] = z2, out[3] = z3;
}
// ex-164: division by zero
__tile_global__ void ex_164(int* out, int y) {
  int x = 10;
  auto z0 = ct::div(x, y);
  auto z1 = ct::ceildiv(x, y);
  auto z2 = ct::floordiv(x, y);
  auto z3 = ct::remainder(x, y);
  out[0] = z0, out[1] = z1, out[2] = z2, out[3] = z3;
}
// ex-165, ex-166: shifts by less than 0 and by the width
__tile_global__ void ex_165(int* out) {
  i32x4 x = ct::iota<i32x4>();
  i32x4 y0 = x << -2;
  i32x4 y1 = x >> -2;
  ct::store(out + x, y0 + y1);
}
__tile_global__ void ex_166(int* out) {
  i32x4 x = ct::iota<i32x4>();
  i32x4 y0 = x << 32;
  i32x4 y1 = x >> 32;
  ct::store(out + x, y0 + y1);
}
// ex-167
__tile_global__ void ex_167(signed char* out) {
  signed char x = -128;
  auto y = ct::abs(x);
  *out = y;
}
// ex-168, ex-169: pointers beyond an array, and between arrays
__tile_global__ void ex_168(bool* out) {
  int x[10];
  auto p = ct::full<ct::tile<int*, ct::shape<4>>>(&x[0]);
  auto q0 = p + 100;
  auto q1 = p - 100;
  ct::store(out + ct::iota<i32x4>(), q0 == q1);
}
__tile_global__ void ex_169(long* out) {
  struct Obj {
    int x[4];
    int y[4];
  };
  Obj obj;
  auto p0 = ct::full<ct::tile<int*, ct::shape<4>>>(&obj.x[0]);
  auto p1 = ct::full<ct::tile<int*, ct::shape<4>>>(&obj.y[0]);
  auto q = p1 - p0;
  ct::store(out + ct::iota<i32x4>(), ct::element_cast<long>(q));
}
// ex-171
__tile_global__ void ex_171(int* out) {
  auto x = ct::iota<ct::tile<int, ct::shape<4, 4>>>();
  auto r = ct::extract(x, ct::shape{2_ic, 2_ic}, 0, 2);
  ct::store(out + ct::iota<tile<int, 2, 2>>(), r);
}
// ex-172
__tile_global__ void ex_172(bool* out) {
  unsigned char x = 2;
  auto r0 = ct::element_bitcast<bool>(x);
  *out = r0;
}
// ex-173: an order of the factors overflows
__tile_global__ void ex_173(signed char* out) {
  signed char xData[4] = {127, 0, 2, 1};
  auto x = ct::load(&xData[0] + ct::iota<ct::tile<int, ct::shape<4>>>());
  auto r0 = ct::prod(x, 0_ic);
  auto r1 = ct::partial_prod(x, 0_ic);
  ct::store(out + ct::iota<i32x4>(), r0 + r1);
}
// ex-174
__tile_global__ void ex_174(int* out) {
  int x = 50;
  int y = ct::assume_bounded_above(x, 10_ic);
  *out = y;
}
// ex-175
__tile_global__ void ex_175(int* out) {
  ct::tile<int, ct::shape<4>> x;
  auto y = x + 3;
  ct::store(out + ct::iota<i32x4>(), y);
}
// ex-176
__tile_global__ void ex_176(size_t* out) {
  using Exts = ct::extents<uint32_t, 4, ct::dynamic_extent>;
  out[0] = Exts::static_extent(2);
  Exts e{8};
  out[1] = e.extent(2);
}
// ex-177
__tile_global__ void ex_177(unsigned* out) {
  ct::extents<uint16_t, 65536> e;
  *out = e.extent(0);
}
// ex-178
__tile_global__ void ex_178(size_t* out) {
  using Map = ct::dimension_map<1, 0>;
  *out = Map::mapping(2);
}
// ex-179
__tile_global__ void ex_179(size_t* out) {
  using L = ct::layout_right_mapping<ct::extents<uint32_t, 4, 8>>;
  out[0] = L::static_stride(2);
  out[1] = L{{}}.stride(2);
}
// ex-180: printed with a > too many
__tile_global__ void ex_180(size_t* out) {
  using L = ct::layout_right_mapping<ct::extents<uint32_t, 65536, 65536, 65536, 65536, 65536>>;
  out[0] = L::static_stride(0);
  out[1] = L{{}}.stride(0);
}
// ex-181: partitions that are out of bounds
__tile_global__ void ex_181(int* ptr) {
  ct::tensor_span t{ptr, ct::extents{16, 32}};
  ct::partition_view p{t, ct::shape{4_ic, 2_ic}};
  auto x = p.load_masked(4, 0);
  p.store_masked(x, 0, 16);
}
// ex-182: partly out of bounds and not masked; (0, 2) and (2, 0) as printed are out of bounds altogether
__tile_global__ void ex_182(int* ptr) {
  ct::tensor_span t{ptr, ct::extents{5, 6}};
  ct::partition_view p{t, ct::shape{4_ic, 4_ic}};
  auto x = p.load(0, 1);
  p.store(x, 1, 0);
}
// ex-183: rows that overlap
__tile_global__ void ex_183(int* ptr) {
  ct::layout_strided_mapping m{ct::extents{8, 16}, ct::extents{8, 1}};
  ct::tensor_span t{ptr, m};
  ct::partition_view p{t, ct::shape{4_ic, 4_ic}};
  auto x = p.load(0, 0);
  p.store(x, 0, 0);
}
// ex-184, ex-185: ranges
__tile_global__ void ex_184(int* out) {
  ct::irange x(20, 10, -1);
  *out = x.step();
}
__tile_global__ void ex_185(unsigned char* out) {
  ct::irange<unsigned char> x(0, 251, 10);
  *out = x.step();
}
// ex-186: a float beyond the integer type, three ways
__tile_global__ void ex_186(unsigned char* out) {
  unsigned char x{ct::tile<float, ct::shape<>>{256.0f}};
  ct::tile<unsigned char, ct::shape<>> y{256.0f};
  unsigned char z = ct::element_cast<unsigned char>(256.0f);
  out[0] = x, out[1] = z;
  ct::store(out + 2, y);
}
// ex-187: four plain stores to one place
__tile_global__ void ex_187(int* x) {
  using ptr64x4 = ct::tile<int*, ct::shape<4>>;
  auto ptrs = ct::full<ptr64x4>(x);
  ct::store(ptrs, ct::iota<i32x4>());
}
// ex-188, ex-189: atomic overflow
__tile_global__ void ex_188(int* out) {
  int x = 0x7FFFFFFF;
  int y = 1;
  auto z = ct::atomic_add(&x, y, ct::memory_order_relaxed_t{});
  *out = z;
}
__tile_global__ void ex_189(int* out) {
  int x = -1;
  int y = 1 << 31;
  auto z = ct::atomic_sub(&x, y, ct::memory_order_relaxed_t{});
  *out = z;
}
