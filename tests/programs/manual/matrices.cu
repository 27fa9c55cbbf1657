// The manual's examples of [2.5] to [2.7]. A kernel ex_NNN is run and its results are compared.
#include "programs.h"

template <typename T>
__tile__ void put(ct::tile_element_t<T>* out, T x) {
  ct::store(out + ct::iota<ct::tile<int, ct::tile_shape_t<T>>>(), x);
}

using i32x2x4 = ct::tile<int, ct::shape<2, 4>>;
using i32x4x2 = ct::tile<int, ct::shape<4, 2>>;
using i32x2x2 = ct::tile<int, ct::shape<2, 2>>;
using i32x1x2x4 = ct::tile<int, ct::shape<1, 2, 4>>;
using i32x1x4x2 = ct::tile<int, ct::shape<1, 4, 2>>;
using i32x1x2x2 = ct::tile<int, ct::shape<1, 2, 2>>;

// ex-082 [2.5.4]
__tile_global__ void ex_082(float* out) {
  auto lhs = ct::element_cast<float>(ct::iota<i32x2x4>());
  auto rhs = ct::element_cast<float>(ct::iota<i32x4x2>());
  auto acc = ct::element_cast<float>(ct::iota<i32x2x2>());

  auto r = ct::mma(lhs, rhs, acc);
  put(out, r);
}

// ex-083 [2.5.4]: two batches
__tile_global__ void ex_083(float* out) {
  auto lhs = ct::element_cast<float>(ct::cat<0>(ct::iota<i32x1x2x4>(), ct::iota<i32x1x2x4>()));
  auto rhs = ct::element_cast<float>(ct::cat<0>(ct::iota<i32x1x4x2>(), -ct::iota<i32x1x4x2>()));
  auto acc = ct::element_cast<float>(ct::cat<0>(ct::iota<i32x1x2x2>(), -ct::iota<i32x1x2x2>()));

  auto r = ct::mma(lhs, rhs, acc);
  put(out, r);
}

// ex-084 [2.5.5]
__tile_global__ void ex_084(float* out) {
  auto lhs = ct::element_cast<float>(ct::iota<i32x2x4>());
  auto rhs = ct::element_cast<float>(ct::iota<i32x4x2>());

  auto r = ct::matmul(lhs, rhs);
  put(out, r);
}

// ex-085 [2.5.5]: two batches
__tile_global__ void ex_085(float* out) {
  auto lhs = ct::element_cast<float>(ct::cat<0>(ct::iota<i32x1x2x4>(), ct::iota<i32x1x2x4>()));
  auto rhs = ct::element_cast<float>(ct::cat<0>(ct::iota<i32x1x4x2>(), -ct::iota<i32x1x4x2>()));

  auto r = ct::matmul(lhs, rhs);
  put(out, r);
}

// ex-086 [2.6.3]
__tile_global__ void ex_086(float* out0, float* out1) {
  float xData[2][4] = {
      {0, 10, 2, 5},
      {-3, 2, 22, 7},
  };
  auto x = ct::load(&xData[0][0] + ct::iota<i32x2x4>());

  auto r0 = ct::reduce_max(x, 1_ic);
  auto r1 = ct::reduce_max(x, 1_ic, ct::suppress_nan_t{}, ct::preserve_subnormals_t{});
  put(out0, r0);
  put(out1, r1);
}

// ex-087 [2.6.4]
__tile_global__ void ex_087(float* out0, float* out1) {
  float xData[2][4] = {
      {0, 10, 2, 5},
      {-3, 2, 22, 7},
  };
  auto x = ct::load(&xData[0][0] + ct::iota<i32x2x4>());

  auto r0 = ct::reduce_min(x, 0_ic);
  auto r1 = ct::reduce_min(x, 0_ic, ct::suppress_nan_t{}, ct::preserve_subnormals_t{});
  put(out0, r0);
  put(out1, r1);
}

// ex-088 [2.6.5], ex-089 [2.6.6]; any_of is printed as all_of
__tile_global__ void ex_088(bool* out) {
  bool xData[2][4] = {
      {true, true, false, false},
      {true, false, true, false},
  };
  auto x = ct::load(&xData[0][0] + ct::iota<i32x2x4>());
  auto r = ct::all_of(x, 0_ic);
  put(out, r);
}
__tile_global__ void ex_089(bool* out) {
  bool xData[2][4] = {
      {true, true, false, false},
      {true, false, true, false},
  };
  auto x = ct::load(&xData[0][0] + ct::iota<i32x2x4>());
  auto r = ct::any_of(x, 0_ic);
  put(out, r);
}

// ex-090 [2.6.7]
__tile_global__ void ex_090(float* out0, float* out1) {
  float xData[2][4] = {
      {3, 2, 1, 4},
      {-3, 2, 1, 5},
  };
  auto x = ct::load(&xData[0][0] + ct::iota<i32x2x4>());

  auto r0 = ct::sum(x, 1_ic);
  auto r1 = ct::sum(x, 1_ic, ct::round_ties_to_even_t{}, ct::preserve_subnormals_t{});
  put(out0, r0);
  put(out1, r1);
}

// ex-091 [2.6.8]
__tile_global__ void ex_091(float* out0, float* out1) {
  float xData[2][4] = {
      {3, 2, 1, 4},
      {-3, 2, 1, 5},
  };
  auto x = ct::load(&xData[0][0] + ct::iota<i32x2x4>());

  auto r0 = ct::prod(x, 1_ic);
  auto r1 = ct::prod(x, 1_ic, ct::round_ties_to_even_t{}, ct::preserve_subnormals_t{});
  put(out0, r0);
  put(out1, r1);
}

// ex-092 [2.6.9], ex-093 [2.6.10], ex-094 [2.6.11]: two initialisers for rows of four, so the other columns
// are 0
__tile_global__ void ex_092(unsigned char* out) {
  unsigned char xData[2][4] = {
      {0b00001111, 0b10101010},
      {0b01010101, 0b11110000},
  };
  auto x = ct::load(&xData[0][0] + ct::iota<i32x2x4>());
  auto r = ct::reduce_bitand(x, 0_ic);
  put(out, r);
}
__tile_global__ void ex_093(unsigned char* out) {
  unsigned char xData[2][4] = {
      {0b00001111, 0b10101010},
      {0b01010101, 0b11110000},
  };
  auto x = ct::load(&xData[0][0] + ct::iota<i32x2x4>());
  auto r = ct::reduce_bitor(x, 0_ic);
  put(out, r);
}
__tile_global__ void ex_094(unsigned char* out) {
  unsigned char xData[2][4] = {
      {0b00001111, 0b10101010},
      {0b01010101, 0b11110000},
  };
  auto x = ct::load(&xData[0][0] + ct::iota<i32x2x4>());
  auto r = ct::reduce_bitxor(x, 0_ic);
  put(out, r);
}

// ex-095 [2.6.12]
__tile_global__ void ex_095(float* out0, float* out1) {
  float xData[2][4] = {
      {3, 2, 1, 4},
      {-3, 2, 1, 5},
  };
  auto x = ct::load(&xData[0][0] + ct::iota<i32x2x4>());

  auto r0 = ct::partial_sum(x, 1_ic);
  auto r1 = ct::partial_sum(x, 1_ic, ct::round_ties_to_even_t{}, ct::preserve_subnormals_t{});
  put(out0, r0);
  put(out1, r1);
}

// ex-096 [2.6.13]
__tile_global__ void ex_096(float* out0, float* out1) {
  float xData[2][4] = {
      {3, 2, 1, 4},
      {-3, 2, 1, 5},
  };
  auto x = ct::load(&xData[0][0] + ct::iota<i32x2x4>());

  auto r0 = ct::partial_prod(x, 1_ic);
  auto r1 = ct::partial_prod(x, 1_ic, ct::round_ties_to_even_t{}, ct::preserve_subnormals_t{});
  put(out0, r0);
  put(out1, r1);
}

// ex-097 [2.7]: four of sixteen elements
__tile_global__ void ex_097(int* out) {
  int x[4][4]{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}};

  using ptr_2x2 = ct::tile<int*, ct::shape<2, 2>>;
  i32x2x2 idx = (2 + 9 * ct::iota<i32x2x2>()) % 16;
  ptr_2x2 ptrs = &x[0][0] + idx;
  i32x2x2 r = ct::load(ptrs);
  put(out, r);
}

// ex-098 [2.7.4]: masked loads
__tile_global__ void ex_098(int* data, int* out0, int* out1) {
  bool maskData[4] = {true, false, false, true};
  int padData[4] = {-7, -3, -22, -100};

  using i32x4 = ct::tile<int, ct::shape<4>>;

  auto mask = ct::load(&maskData[0] + ct::iota<i32x4>());
  auto padding = ct::load(&padData[0] + ct::iota<i32x4>());
  auto ptrs = &data[0] + ct::iota<i32x4>();

  auto r0 = ct::load_masked(ptrs, mask, padding);
  auto r1 =
      ct::atomic_load_masked(ptrs, mask, padding, ct::memory_order_relaxed_t{}, ct::thread_scope_device_t{});
  put(out0, r0);
  put(out1, r1);
}

// ex-099 [2.7.5]: masked stores
__tile_global__ void ex_099(int* data) {
  using i32x4 = ct::tile<int, ct::shape<4>>;

  bool maskData[4] = {true, false, false, true};

  using i32x4 = ct::tile<int, ct::shape<4>>;

  auto mask = ct::load(&maskData[0] + ct::iota<i32x4>());
  auto value = ct::full<i32x4>(-1);
  auto ptrs = &data[0] + ct::iota<i32x4>();

  ct::store_masked(ptrs, value, mask);
  ct::atomic_store_masked(ptrs, value, mask, ct::memory_order_relaxed_t{}, ct::thread_scope_device_t{});
}
