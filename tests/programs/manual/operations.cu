// The manual's examples of [2.1] to [2.4]. A kernel ex_NNN is run and its results are compared.
#include "programs.h"

// ex-048 [2.1.1.1]: 16 blocks copy 8 elements each
using i32x8 = ct::tile<int, ct::shape<8>>;
__tile_global__ void ex_048(int* in, int* out) {
  int offset = ct::bid().x * ct::num_blocks().y * 8 + ct::bid().y * 8;

  auto data = ct::load(in + offset + ct::iota<i32x8>());
  ct::store(out + offset + ct::iota<i32x8>(), data);
}

// ex-049 [2.2.1]: an int scalar and a tile of float
__tile_global__ void ex_049(float* out) {
  using i32x2x2 = ct::tile<int, ct::shape<2, 2>>;
  using f32x2x2 = ct::tile<float, ct::shape<2, 2>>;

  float data[2][2] = {
      {0.0, 1.5},
      {3.0, 3.5},
  };

  f32x2x2 x = ct::load(&data[0][0] + ct::iota<i32x2x2>());
  f32x2x2 result = 5 + x;
  ct::store(out + ct::iota<i32x2x2>(), result);
}

// ex-050 [2.2.1]: rounded down
__tile_global__ void ex_050(float* out) {
  float eps = 0x0.000002p0f;
  float result = ct::add(8.0f, 5 * eps, ct::round_toward_negative_t{});
  *out = result;
}

// ex-051 [2.2.2]: char promoted to int
__tile_global__ void ex_051(int* out) {
  using i8x2x2 = ct::tile<char, ct::shape<2, 2>>;
  using i32x2x2 = ct::tile<int, ct::shape<2, 2>>;

  char data[2][2] = {
      {0, 1},
      {2, 3},
  };

  i8x2x2 x = ct::load(&data[0][0] + ct::iota<i32x2x2>());
  i32x2x2 result = +x;
  ct::store(out + ct::iota<i32x2x2>(), result);
}

// ex-052 [2.2.3]: a subnormal difference flushed to zero
__tile_global__ void ex_052(float* out) {
  float result =
      ct::sub(0x1.1p-126f, 0x1.0p-126f, ct::round_ties_to_even_t{}, ct::round_subnormals_to_zero_t{});
  *out = result;
}

template <typename T>
__tile__ void put(ct::tile_element_t<T>* out, T x) {
  ct::store(out + ct::iota<ct::tile<int, ct::tile_shape_t<T>>>(), x);
}

// ex-053 [2.3.1] to ex-056 [2.3.4]; ones and zeros are printed with an argument, which they do not take
__tile_global__ void ex_053(int* out) { put(out, ct::full<ct::tile<int, ct::shape<2, 2>>>(42)); }
__tile_global__ void ex_054(int* out) { put(out, ct::iota<ct::tile<int, ct::shape<2, 4>>>()); }
__tile_global__ void ex_055(int* out) { put(out, ct::ones<ct::tile<int, ct::shape<2, 2>>>()); }
__tile_global__ void ex_056(double* out) { put(out, ct::zeros<ct::tile<double, ct::shape<2, 2>>>()); }

// ex-057 [2.3.5], ex-058 [2.3.6]: of infinities, NaN and 1, which are printed as 1.0 / 0.0 and the like
__tile_global__ void ex_057(float const* xData, bool* out) {
  using i32x4 = ct::tile<int, ct::shape<4>>;
  auto x = ct::load(&xData[0] + ct::iota<i32x4>());
  auto r = ct::isinf(x);
  put(out, r);
}
__tile_global__ void ex_058(float const* xData, bool* out) {
  using i32x4 = ct::tile<int, ct::shape<4>>;
  auto x = ct::load(&xData[0] + ct::iota<i32x4>());
  auto r = ct::isnan(x);
  put(out, r);
}

// ex-059 [2.3.7]
__tile_global__ void ex_059(int* out) {
  auto x = ct::iota<ct::tile<int, ct::shape<2, 4>>>();
  auto y = ct::reshape(x, ct::shape{4_ic, 2_ic});
  put(out, y);
}

// ex-060 to ex-062 [2.3.8]
static_assert(same<ct::tile_permutation_t<int, ct::dimension_map<>>, int>);
// ex-061
static_assert(same<ct::tile_permutation_t<tile<int>, ct::dimension_map<>>, tile<int>>);
// ex-062
static_assert(same<ct::tile_permutation_t<tile<int, 4, 2, 16, 8>, ct::dimension_map<2, 1, 3, 0>>,
                   tile<int, 16, 2, 8, 4>>);

// ex-063 [2.3.9]
__tile_global__ void ex_063(int* out) {
  auto x = ct::iota<ct::tile<int, ct::shape<4, 2, 2>>>();
  auto r = ct::permute(x, ct::dimension_map{2_ic, 0_ic, 1_ic});
  put(out, r);
}

// ex-064 to ex-066 [2.3.10]
static_assert(same<ct::tile_transpose_t<int>, int>);
// ex-065
static_assert(same<ct::tile_transpose_t<tile<int>>, tile<int>>);
// ex-066
static_assert(same<ct::tile_transpose_t<tile<int, 4, 2, 16, 8>>, tile<int, 2, 4, 16, 8>>);

// ex-067 [2.3.11]: transposition is a permutation; src stands for the parameter in
__tile_global__ void ex_067(bool* out) {
  auto src = ct::iota<tile<int, 4, 2, 2>>();
  put(out, ct::transpose(src) == ct::permute(src, ct::dimension_map<1, 0, 2>{}));
}

// ex-068 [2.3.11]
__tile_global__ void ex_068(int* out) {
  auto x = ct::iota<ct::tile<int, ct::shape<4, 2, 2>>>();
  auto r = ct::transpose(x);
  put(out, r);
}

// ex-069 to ex-071 [2.3.13]
static_assert(!ct::concatenation_compatible<int, int, 0>);
// ex-070
static_assert(same<ct::concatenation_t<tile<int, 2, 4>, tile<int, 2, 4>, 0>, tile<int, 4, 4>>);
// ex-071
static_assert(same<ct::concatenation_t<tile<int, 2, 4>, tile<int, 2, 4>, 1>, tile<int, 2, 8>>);

// ex-072 [2.3.14]
__tile_global__ void ex_072(int* out) {
  auto x = ct::full<ct::tile<int, ct::shape<4, 2>>>(0);
  auto y = ct::full<ct::tile<int, ct::shape<4, 2>>>(1);
  auto r = ct::cat(x, y, 1_ic);
  put(out, r);
}

// ex-073 [2.3.15]
__tile_global__ void ex_073(int* out) {
  using i32x4 = ct::tile<int, ct::shape<4>>;
  bool cData[4] = {true, false, true, false};

  auto c = ct::load(&cData[0] + ct::iota<i32x4>());
  auto x = ct::iota<i32x4>();
  auto y = -ct::iota<i32x4>();

  auto r = ct::select(c, x, y);
  put(out, r);
}

// ex-074 to ex-076 [2.3.16]
static_assert(ct::extractable_from<ct::shape<>, int>);
// ex-075
static_assert(ct::extractable_from<ct::shape<16, 2>, tile<int, 32, 8>>);
// ex-076
static_assert(!ct::extractable_from<ct::shape<2, 16>, tile<int, 32, 8>>);

// ex-077 [2.3.17]
__tile_global__ void ex_077(int* out) {
  auto x = ct::iota<ct::tile<int, ct::shape<4, 4>>>();
  auto r = ct::extract(x, ct::shape{2_ic, 2_ic}, 0, 1);
  put(out, r);
}

// ex-078 [2.3.18]
__tile_global__ void ex_078(int* out) {
  auto x = ct::iota<ct::tile<int, ct::shape<4, 1>>>();
  auto r = ct::broadcast(x, ct::shape{4_ic, 4_ic});
  put(out, r);
}

// ex-079 [2.3.19]
__tile_global__ void ex_079(double* out) {
  auto x = ct::iota<ct::tile<int, ct::shape<4, 1>>>();
  auto r = ct::element_cast<double>(x);
  put(out, r);
}

// ex-080 [2.3.20]
__tile_global__ void ex_080(signed char* out) {
  auto x = ct::full<ct::tile<unsigned char, ct::shape<4, 1>>>(255);
  auto r = ct::element_bitcast<signed char>(x);
  put(out, r);
}

// ex-081 [2.4]: the preferred form; the one with a template argument is in static_tile_operations.cu
__tile_global__ void ex_081(double* out) { *out = ct::exp(0.0); }
