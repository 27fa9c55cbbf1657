// The manual's examples of chapter 1. A kernel ex_NNN is run and its results are compared; the rest only
// compiles.
#include "programs.h"

// ex-001 [front page]: sums of 1024 elements a block; `assume_aligned` is found through its argument
__tile_global__ void ex_001(float* __restrict__ a, float* __restrict__ b, float* __restrict__ out, size_t n) {
  namespace ct = cuda::tiles;
  using namespace ct::literals;

  a = assume_aligned(a, 16_ic);
  b = assume_aligned(b, 16_ic);
  out = assume_aligned(out, 16_ic);

  auto idx = ct::bid().x;

  auto view_a = ct::partition_view{ct::tensor_span{a, ct::extents{n}}, ct::shape{1024_ic}};
  auto view_b = ct::partition_view{ct::tensor_span{b, ct::extents{n}}, ct::shape{1024_ic}};
  auto view_out = ct::partition_view{ct::tensor_span{out, ct::extents{n}}, ct::shape{1024_ic}};

  auto tile_a = view_a.load_masked(idx);
  auto tile_b = view_b.load_masked(idx);

  auto tile_out = tile_a + tile_b;

  view_out.store_masked(tile_out, idx);
}

// ex-002 [1.1]: one element a block, by plain indexing
__tile_global__ void ex_002(int* a, int* b, int* c) {
  namespace ct = ::cuda::tiles;

  auto idx = ct::bid().x;

  c[idx] = ct::add(a[idx], b[idx]);
}

// ex-004 [1.4]: enumerations are not integral, extended integer types too large
static_assert(ct::integral_scalar<char> && ct::integral_scalar<unsigned int> &&
              ct::integral_scalar<long long>);
static_assert(ct::integral_scalar<char32_t> && ct::integral_scalar<wchar_t> && ct::integral_scalar<bool>);
enum class byte : unsigned char {};
static_assert(!ct::integral_scalar<byte>);

// ex-007 [1.5]: three objects of shape 4x8
template <typename E>
__tile__ constexpr bool is_4x8(E const& e) {
  return ct::extents_equal(e, ct::shape<4, 8>{});
}
__tile_global__ void ex_007(bool* out) {
  ct::extents<uint32_t, 4, 8> a{};
  ct::extents<uint32_t, ct::dynamic_extent, 8> b{4};
  ct::extents<uint32_t, ct::dynamic_extent, ct::dynamic_extent> c{4, 8};
  *out = is_4x8(a) && is_4x8(b) && is_4x8(c);
}

// ex-008 [1.5]: other index types
__tile_global__ void ex_008(uint64_t* out) {
  ct::extents<int16_t, 3, ct::dynamic_extent> a{2};
  ct::extents<uint64_t, ct::dynamic_extent, ct::dynamic_extent> b{4, 5};
  out[0] = a.extent(0);
  out[1] = a.extent(1);
  out[2] = b.extent(0);
  out[3] = b.extent(1);
}

// ex-009 [1.5.2]
static_assert(ct::extents<uint32_t, 3, 4, 5>::rank() == 3);
static_assert(ct::extents<uint32_t>::rank() == 0 && ct::shape_size_v<ct::extents<uint32_t>> == 1);

// ex-010 [1.5.2]: dimension 1 is dynamic
using partly_dynamic = ct::extents<uint32_t, 4, ct::dynamic_extent, 7>;
static_assert(partly_dynamic::static_extent(0) == 4 && partly_dynamic::static_extent(2) == 7);
static_assert(partly_dynamic::static_extent(1) == ct::dynamic_extent && partly_dynamic::rank_dynamic() == 1);

// ex-011 [1.5.2]: three objects of shape 3x4x7
__tile_global__ void ex_011(bool* out) {
  ct::shape<3, 4, 7> expected;
  *out = ct::extents<uint32_t, 3, 4, 7>{} == expected &&
         ct::extents<uint32_t, 3, ct::dynamic_extent, 7>{4} == expected &&
         ct::extents<uint32_t, ct::dynamic_extent, 4, ct::dynamic_extent>{3, 7} == expected;
}

// ex-012 [1.5.2]: dimension 1 has length 1
static_assert(ct::extents<uint64_t, 4, 1>{}.extent(1) == 1);

// ex-013 [1.5.2]: sizes
static_assert(ct::shape_size_v<ct::extents<uint32_t, 4, 8>> == 32);
static_assert(ct::shape_size_v<ct::extents<uint32_t, 5>> == 5);
static_assert(ct::shape_size_v<ct::extents<uint32_t>> == 1); // printed as uint32

// ex-014 [1.5.2]: equivalent objects
__tile_global__ void ex_014(bool* out) {
  *out = ct::extents_equal(ct::extents<int16_t, 4, 8>{}, ct::extents<uint32_t, ct::dynamic_extent, 8>{4});
}

// ex-015 [1.5.2]: an index space of 2x3; printed as ct::extents<2, ct::rank_dynamic>
__tile_global__ void ex_015(uint32_t* out) {
  ct::extents<uint32_t, 2, ct::dynamic_extent> e{3};
  for (auto i : ct::irange(0u, e.extent(0)))
    for (auto j : ct::irange(0u, e.extent(1)))
      out[3 * i + j] = 10 * i + j;
}

// ex-016 [1.5.2]
static_assert(same<ct::shape<4, 5>, ct::extents<uint32_t, 4, 5>>);
// ex-017 [1.5.2]
static_assert(ct::same_shape<ct::extents<uint32_t, 4, 8>, ct::extents<uint64_t, 4, 8>>);

// ex-018 [1.6]
__tile__ inline void ex_018() { ct::tile<int, ct::shape<4, 8>> obj; }

// ex-019 [1.6.1]
static_assert(ct::tile_like<double> && ct::tile_like<int const> &&
              ct::tile_like<ct::tile<double, ct::shape<>>>);
static_assert(ct::tile_like<ct::tile<float, ct::shape<4, 8>>>);
static_assert(ct::tile_like<ct::tile<float, ct::shape<1, 1>> const volatile>);

// ex-020 [1.6.2]
static_assert(same<ct::tile_element_t<ct::tile<double, ct::shape<4>>>, double>);
static_assert(same<ct::tile_element_t<int>, int>);

// ex-021 [1.6.2]
static_assert(!ct::tile_shape<ct::shape<4, 7>> && !ct::tile_shape<ct::shape<0>>);
static_assert(!ct::tile_shape<ct::extents<int16_t, 4, 8>> && ct::tile_shape<ct::shape<>>);

// ex-022 [1.6.2]
static_assert(same<ct::tile_shape_t<ct::tile<int, ct::shape<4, 8>>>, ct::shape<4, 8>>);
static_assert(same<ct::tile_shape_t<int>, ct::shape<>>);

// ex-023 [1.6.2]: the row major arrangement of 4x2
__tile_global__ void ex_023(int const* x, int* out) {
  auto a = ct::partition_view{ct::tensor_span{x, ct::shape{4_ic, 2_ic}}, ct::shape{4_ic, 2_ic}}.load(0, 0);
  ct::store(out + ct::iota<tile<int, 8>>(), ct::reshape(a, ct::shape{8_ic}));
}

// ex-024 [1.6.2]: singleton tiles, of which one is a scalar
static_assert(ct::tile_size_v<double> == 1 && ct::scalar<double>);
static_assert(ct::tile_size_v<tile<double>> == 1 && !ct::scalar<tile<double>>);
static_assert(ct::tile_size_v<tile<double, 1, 1>> == 1 && !ct::scalar<tile<double, 1, 1>>);

// ex-025 [1.6.2]
static_assert(ct::integral_tile<int> && ct::integral_tile<ct::tile<int, ct::shape<4>>>);
static_assert(ct::pointer_tile<double*> && ct::pointer_tile<ct::tile<double*, ct::shape<8>>>);

// ex-029 [1.7.2]
static_assert(ct::tile_convertible_to<int, ct::tile<int, ct::shape<>>>);
static_assert(!ct::tile_convertible_to<int, ct::tile<int, ct::shape<1>>>);

// ex-030 [1.7.3]
static_assert(ct::shape_broadcastable_to<ct::shape<4, 1>, ct::shape<4, 8>>);
static_assert(ct::shape_broadcastable_to<ct::shape<2>, ct::shape<4, 2>>);
static_assert(ct::shape_broadcastable_to<ct::shape<5, 2>, ct::shape<5, 2>>);
static_assert(ct::broadcastable_to<double, ct::shape<4, 8>>);
static_assert(ct::broadcastable_to<ct::tile<float, ct::shape<2>>, ct::shape<8, 2>>);
static_assert(ct::broadcastable_to<ct::tile<float, ct::shape<2, 1, 8>>, ct::shape<2, 16, 8>>);

// ex-031 [1.7.3]: 4x1 to 4x8
__tile_global__ void ex_031(int* out) {
  auto x = 1 + ct::iota<tile<int, 4, 1>>();
  ct::store(out + ct::iota<tile<int, 4, 8>>(), ct::broadcast(x, ct::shape<4, 8>{}));
}

// ex-032 [1.7.3]: 2 to 4x2
__tile_global__ void ex_032(int* out) {
  auto x = 1 + ct::iota<tile<int, 2>>();
  ct::store(out + ct::iota<tile<int, 4, 2>>(), ct::broadcast(x, ct::shape<4, 2>{}));
}

// ex-033 [1.7.3]
static_assert(ct::shape_broadcast_compatible<ct::shape<5, 1>, ct::shape<1, 3>>);
static_assert(ct::shape_broadcast_compatible<ct::shape<2, 4, 1>, ct::shape<4, 3>>);
static_assert(ct::shape_broadcast_compatible<ct::shape<>, ct::shape<3, 4, 5>>);
static_assert(!ct::shape_broadcast_compatible<ct::shape<4, 2>, ct::shape<5, 2>>);

// ex-034 [1.7.3]
static_assert(same<ct::shape_broadcast_t<ct::shape<4, 1>, ct::shape<4, 8>>, ct::shape<4, 8>>);
static_assert(same<ct::shape_broadcast_t<ct::shape<1, 5>, ct::shape<3, 1>>, ct::shape<3, 5>>);
static_assert(same<ct::shape_broadcast_t<ct::shape<4, 2, 1>, ct::shape<2, 6>>, ct::shape<4, 2, 6>>);
static_assert(same<ct::shape_broadcast_t<ct::shape<4>, ct::shape<1, 2, 1>>, ct::shape<1, 2, 4>>);

// ex-035 [1.7.3]: each with each
template <typename... T>
struct list {};
template <typename T, typename... U>
constexpr bool fits_all = (ct::broadcast_compatible<T, U> && ...);
template <typename List>
constexpr bool all_fit = false;
template <typename... T>
constexpr bool all_fit<list<T...>> = (fits_all<T, T...> && ...);
static_assert(all_fit<list<ct::tile<int, ct::shape<2, 1, 8>>, ct::tile<int, ct::shape<1, 4, 1>>,
                           ct::tile<float, ct::shape<4, 8>>, double>>);

// ex-036 [1.7.3]: both operands of a sum at their common shape
__tile_global__ void ex_036(int* out_a, int* out_b) {
  auto a = 1 + ct::iota<tile<int, 1, 4>>();
  auto b = 5 + ct::iota<tile<int, 2, 1>>();
  ct::store(out_a + ct::iota<tile<int, 2, 4>>(), a + 0 * b);
  ct::store(out_b + ct::iota<tile<int, 2, 4>>(), 0 * a + b);
}

// ex-038 [1.7.4]: float 1x2 minus double 2x1; the text says addition
__tile_global__ void ex_038(double* out) {
  using i32x1x2 = ct::tile<int, ct::shape<1, 2>>;
  using i32x2x1 = ct::tile<int, ct::shape<2, 1>>;
  using f32x1x2 = ct::tile<float, ct::shape<1, 2>>;
  using f64x2x1 = ct::tile<double, ct::shape<2, 1>>;
  using f64x2x2 = ct::tile<double, ct::shape<2, 2>>;

  float xData[1][2] = {
      {2, 6},
  };

  double yData[2][1] = {
      {4},
      {1},
  };

  f32x1x2 x = ct::load(&xData[0][0] + ct::iota<i32x1x2>());
  f64x2x1 y = ct::load(&yData[0][0] + ct::iota<i32x2x1>());
  f64x2x2 result = x - y;
  ct::store(out + ct::iota<ct::tile<int, ct::shape<2, 2>>>(), result);
}

// ex-039 [1.7.4]: (2), the well-formed half
__tile_global__ void ex_039(bool* out) {
  using i32x8 = ct::tile<int, ct::shape<8>>;
  i32x8 x = ct::full<i32x8>(42);
  ct::store(out + ct::iota<i32x8>(), 2.0 == x);
}

// ex-040 [1.7.4]: Example 3 A
using i32x4x1 = ct::tile<int, ct::shape<4, 1>>;
using f32x1x8 = ct::tile<float, ct::shape<1, 8>>;
static_assert(same<ct::arithmetic_tile_conversion_t<i32x4x1, f32x1x8>, ct::tile<float, ct::shape<4, 8>>>);
static_assert(same<ct::arithmetic_tile_comparison_t<i32x4x1, f32x1x8>, ct::tile<float, ct::shape<4, 8>>>);

// ex-041 [1.7.4]: Example 3 B
using i32x4x8 = ct::tile<int, ct::shape<4, 8>>;
static_assert(!ct::arithmetic_tile_convertible<float, i32x4x8>);
static_assert(same<ct::arithmetic_tile_comparison_t<float, i32x4x8>, ct::tile<float, ct::shape<4, 8>>>);

// ex-043 [1.7.4]: Example 3 D
static_assert(!ct::arithmetic_tile_convertible<unsigned int, i32x4x8>);
static_assert(!ct::arithmetic_tile_comparable<unsigned int, i32x4x8>);

// ex-044 [1.8]: a span over a local array
__tile_global__ void ex_044(float* out) {
  float data[2][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}};
  auto span = ct::tensor_span{&data[0][0], ct::extents{2_ic, 4_ic}};
  auto x = ct::partition_view{span, ct::shape{2_ic, 4_ic}}.load(0, 0);
  ct::store(out + ct::iota<tile<int, 2, 4>>(), x);
}

// ex-045 [1.9.1]: rounded down
__tile_global__ void ex_045(float* out) {
  float eps = 0x0.000002p0f;
  float result = ct::add(8.0f, 5 * eps, ct::round_toward_negative_t{});
  *out = result;
}

// ex-046 [1.9.2]: a subnormal difference flushed to zero
__tile_global__ void ex_046(float* out) {
  float result =
      ct::sub(0x1.1p-126f, 0x1.0p-126f, ct::round_ties_to_even_t{}, ct::round_subnormals_to_zero_t{});
  *out = result;
}

// ex-047 [1.10]: four atomic stores to one place; the second half, without atomics, is undefined
__tile_global__ void ex_047(int* x) {
  using i32x4 = ct::tile<int, ct::shape<4>>;
  auto ptrs = ct::full<ct::tile<int*, ct::shape<4>>>(x);
  ct::atomic_store(ptrs, ct::iota<i32x4>(), ct::memory_order_relaxed_t{}, ct::thread_scope_block_t{});
}
