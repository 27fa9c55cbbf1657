// Additions to the manual of 13.3, but views and strides. Since 13.4.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_tf32.h>

#include "programs.h"

using bx4 = tile<bool, 4>;
using relaxed = ct::memory_order_relaxed_t;

// complement and shifts of bool
static_assert(same<decltype(~any<bx4>()), bx4>);
static_assert(same<decltype(any<bx4>() << 1), bx4> && same<decltype(any<bx4>() >> any<bx4>()), bx4>);
// classification of restricted floating point types
static_assert(same<decltype(ct::isnan(any<tile<__nv_fp8_e4m3, 4>>())), bx4>);
static_assert(same<decltype(ct::isinf(any<tile<__nv_fp8_e5m2, 4>>())), bx4>);
static_assert(same<decltype(ct::isnan(any<tile<__nv_tf32, 4>>())), bx4>);
// bfloat16 in atomic additions
static_assert(
    same<decltype(ct::atomic_add(any<__nv_bfloat16*>(), any<__nv_bfloat16>(), relaxed{})), __nv_bfloat16>);
static_assert(
    same<decltype(ct::atomic_sub(any<__nv_bfloat16*>(), any<__nv_bfloat16>(), relaxed{})), __nv_bfloat16>);
// a fast hyperbolic tangent
static_assert(same<decltype(ct::tanh(1.0f, ct::round_approximate_t{})), float>);

// [2.9.1] members
static_assert(same<tile<float, 4>::index_type, uint32_t>);

// [2.4.5] [2.4.14] rounding of exp and tanh
template <typename T, typename Mode>
concept approximates = requires(T x, Mode m) {
  ct::exp(x, m);
  ct::tanh(x, m);
};
static_assert(approximates<float, ct::round_approximate_t> && approximates<double, ct::round_full_t>);
static_assert(!approximates<double, ct::round_approximate_t> &&
              !approximates<float, ct::round_ties_to_even_t>);
static_assert(same<decltype(ct::exp<ct::rounding_mode::round_approximate>(1.0f)), float>);

// [2.6] max_element
static_assert(same<decltype(ct::max_element<1>(any<tile<bool, 2, 4>>())), tile<uint32_t, 2, 1>>);
static_assert(same<decltype(ct::min_element(any<tile<__half, 2, 4>>(), 0_ic)), tile<uint32_t, 1, 4>>);
template <typename T, auto D>
concept has_element = requires(T x) {
  ct::max_element<D>(x);
  ct::min_element<D>(x);
};
static_assert(has_element<tile<int, 4>, 0> && !has_element<tile<int, 4>, 1> &&
              !has_element<tile<int, 4>, -1>);
static_assert(!has_element<int, 0> && !has_element<tile<int*, 4>, 0> &&
              !has_element<tile<__nv_fp8_e4m3, 4>, 0>);
