// The manual's examples of [2.8] to [2.12]. A kernel ex_NNN is run and its results are compared.
#include "programs.h"

template <typename T>
__tile__ void put(ct::tile_element_t<T>* out, T x) {
  ct::store(out + ct::iota<ct::tile<int, ct::tile_shape_t<T>>>(), x);
}
/// The first 2x4 or 4x2 elements of a span, with -1 beyond it.
template <typename Shape, typename Span>
__tile__ auto look_at(Span span) {
  auto offsets = ct::iota<ct::tile<int, Shape>>();
  auto inside = ct::partition_view{ct::tensor_span{span.data_handle(), span.mapping()}, Shape{}};
  auto values = inside.load_masked(0, 0);
  constexpr int columns = Shape::static_extent(1);
  auto valid = offsets / columns < int(span.extent(0)) && offsets % columns < int(span.extent(1));
  return ct::select(valid, values, ct::full<decltype(values)>(-1));
}

// ex-100 [2.8]
__tile_global__ void ex_100(uint32_t* out) {
  ct::extents x{4_ic, 7};
  ct::extents<uint32_t, 4, ct::dynamic_extent> y{7};
  ct::shape<33, 0> z;
  static_assert(same<decltype(x), decltype(y)> && same<decltype(z)::index_type, uint32_t>);
  out[0] = x.extent(0);
  out[1] = x.extent(1);
  out[2] = y.extent(1);
  out[3] = z.extent(0);
  out[4] = z.extent(1);
}

// ex-101, ex-102 [2.8.1]: 8x42x3 from the dynamic length, and from all
__tile_global__ void ex_101(int* out) {
  ct::extents<int32_t, 8, ct::dynamic_extent, 3> e{42};
  for (int i : ct::irange(0, 3))
    out[i] = e.extent(i);
}
__tile_global__ void ex_102(int* out) {
  ct::extents<int32_t, 8, ct::dynamic_extent, 3> e{8, 42, 3};
  for (int i : ct::irange(0, 3))
    out[i] = e.extent(i);
}

// ex-103 [2.8.1]
__tile__ inline void ex_103() {
  ct::extents x{4_ic, 7};
  static_assert(same<decltype(x), ct::extents<uint32_t, 4, ct::dynamic_extent>>);
}

// ex-104 [2.9]: copies are independent
__tile_global__ void ex_104(int* out_x, int* out_y) {
  using i32x2x2 = ct::tile<int, ct::shape<2, 2>>;
  auto x = ct::iota<i32x2x2>();
  auto y = x;
  put(out_y, y);
  y = y + 1;
  put(out_x, x);
}

// ex-105 [2.9.1]: from a scalar, and from a tile with another element
__tile_global__ void ex_105(int* out_x, float* out_z) {
  ct::tile<int, ct::shape<>> x{2};
  auto y = ct::full<ct::tile<int, ct::shape<4, 4>>>(2);
  ct::tile<float, ct::shape<4, 4>> z{y};
  put(out_x, x);
  put(out_z, z);
}

// ex-106 [2.9.1]: a singleton tile to a scalar
__tile_global__ void ex_106(double* out) {
  using f32x1x1 = ct::tile<float, ct::shape<1, 1>>;
  f32x1x1 x = ct::full<f32x1x1>(2.0f);

  double y{x};
  *out = y;
}

// ex-107 [2.9.1]
__tile_global__ void ex_107(int* out) {
  ct::tile x{2};
  static_assert(same<decltype(x), ct::tile<int, ct::shape<>>>);
  put(out, x);
}

// ex-108 [2.10.1]: rows; through a policy, and through a mapping
__tile_global__ void ex_108(int* out1, int* out2) {
  int x[] = {0, 1, 2, 3, 4, 5};
  ct::tensor_span t1{&x[0], ct::extents{2_ic, 3_ic}, ct::layout_right{}};
  ct::layout_right_mapping m{ct::extents{2_ic, 3_ic}};
  ct::tensor_span t2{&x[0], m};
  put(out1, look_at<ct::shape<2, 4>>(t1));
  put(out2, look_at<ct::shape<2, 4>>(t2));
}

// ex-109 [2.10.3]: columns
__tile_global__ void ex_109(int* out1, int* out2) {
  int x[] = {0, 1, 2, 3, 4, 5};
  ct::tensor_span p1{&x[0], ct::extents{2_ic, 3_ic}, ct::layout_left{}};
  ct::layout_left_mapping m{ct::extents{2_ic, 3_ic}};
  ct::tensor_span p2{&x[0], m};
  put(out1, look_at<ct::shape<2, 4>>(p1));
  put(out2, look_at<ct::shape<2, 4>>(p2));
}

// ex-110 [2.10.5]: rows of 3 padded to 4, which is also the multiple of 2
__tile_global__ void ex_110(int* out1, int* out2) {
  int x[] = {0, 1, 2, 3, 4, 5, 6, 7};
  ct::layout_right_padded_mapping m1{ct::extents{2_ic, 3_ic}, 4_ic};
  ct::tensor_span p1{&x[0], m1};
  ct::layout_right_padded_mapping m2{ct::extents{2_ic, 3_ic}, 2_ic};
  ct::tensor_span p2{&x[0], m2};
  put(out1, look_at<ct::shape<2, 4>>(p1));
  put(out2, look_at<ct::shape<2, 4>>(p2));
}

// ex-111 [2.10.7]: columns of 4 padded to 6; the text speaks of 2x3
__tile_global__ void ex_111(int* out1, int* out2) {
  int x[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  ct::layout_left_padded_mapping m1{ct::extents{4_ic, 2_ic}, 6_ic};
  ct::tensor_span p1{&x[0], m1};
  ct::layout_left_padded_mapping m2{ct::extents{4_ic, 2_ic}, 3_ic};
  ct::tensor_span p2{&x[0], m2};
  put(out1, look_at<ct::shape<4, 2>>(p1));
  put(out2, look_at<ct::shape<4, 2>>(p2));
}

// ex-112 [2.10.9]: strides 6 and 2; the array needs eleven elements, ten are printed
__tile_global__ void ex_112(int* out) {
  int x[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  ct::layout_strided_mapping m{ct::extents{2_ic, 3_ic}, ct::extents{6_ic, 2_ic}};
  ct::tensor_span p{&x[0], m};
  put(out, look_at<ct::shape<2, 4>>(p));
}

// ex-113 [2.11]
__tile_global__ void ex_113(int* out) {
  int x[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  ct::tensor_span t{&x[0], ct::extents{2, 4_ic}};
  put(out, look_at<ct::shape<2, 4>>(t));
}

// ex-114 [2.12]: partition (1, 2)
__tile_global__ void ex_114(int* out) {
  int x[4][8] = {
      {0, 1, 2, 3, 4, 5, 6, 7},
      {8, 9, 10, 11, 12, 13, 14, 15},
      {16, 17, 18, 19, 20, 21, 22, 23},
      {24, 25, 26, 27, 28, 29, 30, 31},
  };
  ct::tensor_span t{&x[0][0], ct::extents{4_ic, 8_ic}};
  ct::partition_view p{t, ct::shape{2_ic, 2_ic}};
  auto r = p.load(1, 2);
  put(out, r);
}

// ex-115 [2.12.1]: a partition that reaches over the end, padded with NaN
__tile_global__ void ex_115(float* out) {
  float x[4][11] = {
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
      {11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21},
      {22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32},
      {33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43},
  };
  ct::tensor_span t{&x[0][0], ct::extents{4_ic, 11_ic}};
  ct::partition_view p{t, ct::shape{2_ic, 4_ic}};

  auto r = p.load_masked(ct::view_padding_nan_t{}, 0, 2);
  put(out, r);
}

// ex-116 [2.12.1]: a store to the last partition
__tile_global__ void ex_116(int* x) {
  ct::tensor_span t{x, ct::extents{4_ic, 8_ic}};
  ct::partition_view p{t, ct::shape{2_ic, 2_ic}};

  auto a = 100 * ct::iota<ct::tile<int, ct::shape<2, 2>>>();
  p.store(a, 1, 3);
}
