// Additions of NVIDIA's release 13.4 to the manual of 13.3, which are also accepted here.
#include <cuda_bf16.h>
#include <cuda_fp4.h>
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
// an integral exponent
static_assert(same<decltype(ct::pow(any<tile<float, 4>>(), 2)), tile<float, 4>>);
template <typename T, typename U>
concept powers = requires(T x, U y) { ct::pow(x, y); };
static_assert(powers<float, int> && !powers<int, float> && !powers<int, int>);
// bfloat16 in atomic additions
static_assert(
    same<decltype(ct::atomic_add(any<__nv_bfloat16*>(), any<__nv_bfloat16>(), relaxed{})), __nv_bfloat16>);
static_assert(
    same<decltype(ct::atomic_sub(any<__nv_bfloat16*>(), any<__nv_bfloat16>(), relaxed{})), __nv_bfloat16>);
// a fast hyperbolic tangent
static_assert(same<decltype(ct::tanh(1.0f, ct::round_approximate_t{})), float>);
// two more restricted floating point types, and their ranks among the others
static_assert(ct::restricted_floating_point_tile<tile<__nv_fp4_e2m1, 4>> &&
              ct::restricted_floating_point_tile<__nv_fp8_e8m0>);
static_assert(!ct::basic_floating_point_tile<__nv_fp4_e2m1> && !ct::arithmetic_tile<__nv_fp8_e8m0>);
static_assert(
    same<decltype(ct::element_cast<__nv_fp4_e2m1>(any<tile<double, 4>>())), tile<__nv_fp4_e2m1, 4>>);
static_assert(same<decltype(ct::element_cast<int>(any<tile<__nv_fp8_e8m0, 4>>())), tile<int, 4>>);
static_assert(same<decltype(ct::element_bitcast<unsigned char>(any<tile<__nv_fp8_e8m0, 4>>())),
                   tile<unsigned char, 4>>);
static_assert(same<decltype(ct::zeros<tile<__nv_fp4_e2m1, 4>>()), tile<__nv_fp4_e2m1, 4>>);
template <typename To, typename From>
concept stores = requires(To* p, From x) { ct::store(p, x); };
static_assert(stores<__nv_fp8_e4m3, __nv_fp4_e2m1> && stores<__nv_fp8_e5m2, __nv_fp4_e2m1> &&
              stores<__half, __nv_fp4_e2m1> && stores<float, __nv_fp4_e2m1>);
static_assert(!stores<__nv_fp4_e2m1, __nv_fp8_e4m3> && !stores<__nv_fp4_e2m1, __nv_fp8_e8m0> &&
              !stores<__nv_fp8_e8m0, __nv_fp4_e2m1> && !stores<__nv_fp4_e2m1, float>);
static_assert(stores<__nv_bfloat16, __nv_fp8_e8m0> && stores<float, __nv_fp8_e8m0> &&
              stores<double, __nv_fp8_e8m0>);
static_assert(!stores<__half, __nv_fp8_e8m0> && !stores<__nv_fp8_e8m0, __nv_fp8_e4m3> &&
              !stores<__nv_fp8_e5m2, __nv_fp8_e8m0>);
