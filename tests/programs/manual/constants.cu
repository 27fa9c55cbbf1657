// The manual's examples of [2.13] and [2.14]. A kernel ex_NNN is run and its results are compared.
#include "programs.h"

// ex-117 [2.13]: Example 1
__tile__ inline void ex_117() {
  ct::shape<2, 4> x;
  ct::shape y{2_ic, 4_ic};
  static_assert(same<decltype(x), decltype(y)>);
}

// ex-118 [2.13]: Example 2
__tile__ inline void ex_118() {
  ct::dimension_map<2, 0, 1> w;
  ct::dimension_map z{2_ic, 0_ic, 1_ic};
  static_assert(same<decltype(w), decltype(z)>);
}

// ex-119 [2.13]: Example 3, modes as template arguments and as arguments
__tile_global__ void ex_119(double* out) {
  out[0] = ct::add<ct::rounding_mode::round_toward_zero>(0.0, 1.0, {});
  out[1] = ct::add(0.0, 1, ct::round_toward_negative_t{});
}

// ex-120 [2.13]: Example 4, here with a pointer to something
__tile_global__ void ex_120(double* ptr, double* out) {
  out[0] = ct::atomic_load<ct::memory_order::relaxed>(ptr);
  out[1] = ct::atomic_load(ptr, ct::memory_order_relaxed_t{});
}

// ex-121 [2.13]: Example 5; partition (0, 1) of 4x8 has no padding
__tile_global__ void ex_121(double* ptr, double* out1, double* out2) {
  ct::partition_view P{ct::tensor_span{ptr, ct::shape{4_ic, 8_ic}}, ct::shape{2_ic, 2_ic}};
  auto offsets = ct::iota<tile<int, 2, 2>>();
  ct::store(out1 + offsets, P.load_masked<ct::view_padding::positive_inf>(0, 1));
  ct::store(out2 + offsets, P.load_masked(ct::view_padding_positive_inf_t{}, 0, 1));
}

// ex-122 [2.13.1.2]
static_assert(same<decltype(22_ic)::value_type, int>);
static_assert(same<decltype(4294967296_ic)::value_type, decltype(4294967296)>);

// ex-123 [2.13.2]
static_assert(same<decltype(ct::dimension_map{2_ic, 0_ic, 1_ic}), ct::dimension_map<2, 0, 1>>);

// ex-124 [2.13.3.2], ex-125 [2.13.3.3]
__tile_global__ void ex_124(double* out) {
  ct::rounding_mode_constant<ct::rounding_mode::round_toward_negative> mode;
  auto result = ct::add(1.0, 2.5, mode);
  *out = result;
}
__tile_global__ void ex_125(double* out) {
  auto result = ct::add(1.0, 2.5, ct::round_toward_negative_t{});
  *out = result;
}

// ex-126 [2.13.4.2], ex-127 [2.13.4.3]
__tile_global__ void ex_126(float* out) {
  ct::subnormals_rounding_mode_constant<ct::subnormals_rounding_mode::round_subnormals_to_zero> mode;
  auto result = ct::add(1.0f, 2.5f, {}, mode);
  *out = result;
}
__tile_global__ void ex_127(float* out) {
  auto result = ct::add(1.0f, 2.5f, {}, ct::round_subnormals_to_zero_t{});
  *out = result;
}

// ex-128 [2.13.5.3]
__tile_global__ void ex_128(double* out) {
  auto result = ct::max(1.0, 2.5, ct::propagate_nan_t{});
  *out = result;
}

// ex-129 [2.13.6.3]: a view of one element
__tile_global__ void ex_129(int* out) {
  int x = 0;
  ct::tensor_span t{&x, ct::shape{1_ic}};
  ct::partition_view p{t, ct::shape{1_ic}};

  ct::store(out + ct::iota<tile<int, 1>>(), p.load_masked(ct::view_padding_zero_t{}, 0));
}

// ex-130 [2.13.7.3]
__tile_global__ void ex_130(int* ptr, int* out) { *out = ct::atomic_load(ptr, ct::memory_order_relaxed_t{}); }

// ex-131 [2.13.8.3]: printed with a parenthesis too many
__tile_global__ void ex_131(int* ptr, int* out) {
  *out = ct::atomic_load(ptr, ct::memory_order_acquire_t{}, ct::thread_scope_device_t{});
}

// ex-132 [2.14], ex-133 [2.14.3]: what is printed there is stored here
__tile_global__ void ex_132(int* out) {
  for (auto idx : ct::irange(5, 12, 2)) {
    *out++ = idx;
  }
}
__tile_global__ void ex_133(int* out) {
  for (auto idx : ct::irange(-10, -6)) {
    *out++ = idx;
  }
}

// ex-134 [2.14.3]: empty ranges
__tile_global__ void ex_134(bool* out) {
  ct::irange x(20, 10);
  auto r0 = x.empty();

  ct::irange y(20, 20);
  auto r1 = y.empty();
  out[0] = r0;
  out[1] = r1;
}
