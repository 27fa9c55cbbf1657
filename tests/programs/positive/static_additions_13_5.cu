// Additions to the manual of 13.3, but views. Since 13.5.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp8.h>
#include <cuda_tf32.h>

#include "programs.h"

// an integral exponent
static_assert(same<decltype(ct::pow(any<tile<float, 4>>(), 2)), tile<float, 4>>);
template <typename T, typename U>
concept powers = requires(T x, U y) { ct::pow(x, y); };
static_assert(powers<float, int> && !powers<int, float> && !powers<int, int>);
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

// constants
static_assert(static_cast<int>(ct::rounding_mode::round_ties_to_away) == 6);
static_assert(ct::round_ties_to_away_t::value == ct::rounding_mode::round_ties_to_away);
static_assert(static_cast<int>(ct::saturation_mode::saturate_none) == 0 &&
              static_cast<int>(ct::saturation_mode::saturate_finite) == 1);
static_assert(same<ct::saturate_none_t, ct::saturation_mode_constant<ct::saturation_mode::saturate_none>>);
static_assert(same<ct::saturate_finite_t::type, ct::saturate_finite_t> &&
              same<ct::saturate_finite_t::value_type, ct::saturation_mode>);
static_assert(ct::saturate_finite_t::value == ct::saturation_mode::saturate_finite);
// [2.13]
static_assert(static_cast<ct::saturation_mode>(ct::saturate_finite_t{}) == ct::saturate_finite_t{}());

// [2.3.19] casts in a mode
template <typename To, typename From, typename Mode>
concept casts = requires(From x, Mode m) { ct::element_cast<To>(x, m); };
using even = ct::round_ties_to_even_t;
using zero = ct::round_toward_zero_t;
using up = ct::round_toward_positive_t;
using away = ct::round_ties_to_away_t;
static_assert(casts<float, double, even> && casts<float, double, up> && !casts<float, double, away>);
static_assert(casts<__half, float, even> && casts<__half, double, zero> && !casts<__half, float, up>);
static_assert(casts<double, float, up> && casts<double, float, away> && casts<float, float, up>);
static_assert(casts<__nv_tf32, float, away> && casts<__nv_tf32, float, zero> && !casts<__nv_tf32, float, up>);
static_assert(casts<__nv_tf32, double, zero> && !casts<__nv_tf32, double, away>);
static_assert(casts<__nv_fp8_e4m3, float, even> && !casts<__nv_fp8_e4m3, float, zero>);
static_assert(casts<__nv_fp8_e8m0, float, up> && casts<__nv_fp8_e8m0, float, zero> &&
              !casts<__nv_fp8_e8m0, float, even>);
static_assert(casts<__nv_fp4_e2m1, float, even> && !casts<__nv_fp4_e2m1, float, up>);
static_assert(!casts<int, float, zero> && !casts<float, int, even> &&
              !casts<float, double, ct::round_full_t>);
static_assert(casts<int, float, ct::saturate_finite_t> && casts<bool, double, ct::saturate_none_t>);
static_assert(!casts<float, double, ct::saturate_finite_t> && !casts<int, int, ct::saturate_finite_t>);
static_assert(!casts<int, __nv_fp8_e4m3, ct::saturate_finite_t>);
static_assert(same<decltype(ct::element_cast<__half>(any<tile<float, 2>>(), zero{})), tile<__half, 2>>);

// [2.3.20] of tf32 to itself alone
template <typename To, typename From>
concept bitcasts = requires(From x) { ct::element_bitcast<To>(x); };
static_assert(bitcasts<__nv_tf32, __nv_tf32> && !bitcasts<float, __nv_tf32> && !bitcasts<__nv_tf32, float>);
static_assert(bitcasts<__nv_fp8_e8m0, char> && !bitcasts<__nv_fp4_e2m1, char> && bitcasts<bool, char>);

// [2.3] insert, repack
template <typename T, typename Sub, typename... Idx>
concept inserts = requires(T x, Sub y, Idx... i) { ct::insert(x, y, i...); };
static_assert(
    same<decltype(ct::insert(any<tile<int, 4, 4>>(), any<tile<short, 2, 4>>(), 1, 0)), tile<int, 4, 4>>);
static_assert(inserts<tile<int, 4>, tile<int, 2>, int> && !inserts<tile<int, 4>, tile<int, 8>, int>);
static_assert(!inserts<tile<int, 4>, tile<int, 2>> && !inserts<tile<int, 4>, tile<float, 2>, int> &&
              !inserts<tile<int, 4>, tile<int, 1, 2>, int> && !inserts<tile<int, 4>, tile<int, 2>, int*>);
template <typename E, auto D, typename T>
concept repacks = requires(T x) { ct::repack<E, D>(x); };
static_assert(
    same<decltype(ct::repack<unsigned char>(any<tile<int, 2, 4>>(), 1_ic)), tile<unsigned char, 2, 16>>);
static_assert(
    same<decltype(ct::repack<__nv_fp4_e2m1, 0>(any<tile<char, 2, 4>>())), tile<__nv_fp4_e2m1, 4, 4>>);
static_assert(same<decltype(ct::repack<float, 0>(any<tile<bool, 64>>())), tile<float, 2>>);
static_assert(repacks<bool, 0, tile<bool, 4>> && !repacks<bool, 0, tile<__nv_fp4_e2m1, 1>>);
static_assert(!repacks<int, 0, tile<char, 2>> && !repacks<int, 1, tile<int, 4>> && !repacks<int, 0, int>);
static_assert(repacks<__nv_tf32, 0, tile<__nv_tf32, 4>> && !repacks<float, 0, tile<__nv_tf32, 4>> &&
              !repacks<__nv_tf32, 0, tile<float, 4>>);

// [2.4] powi
template <typename B, typename X>
concept has_powi = requires(B b, X x) { ct::powi(b, x); };
static_assert(same<decltype(ct::powi(any<tile<__half, 4>>(), 2)), tile<__half, 4>>);
static_assert(same<decltype(ct::powi(2.0f, any<tile<short, 4>>())), tile<float, 4>>);
static_assert(has_powi<double, bool> && has_powi<float, signed char> && !has_powi<float, unsigned> &&
              !has_powi<float, int64_t> && !has_powi<int, int> && !has_powi<float, float>);

// [2.5] scaled_mma
template <typename E, typename S, int K, int V, typename A = float>
concept scales = requires(tile<E, 16, K> l, tile<S, 16, K / V> ls, tile<E, K, 8> r, tile<S, K / V, 8> rs,
                          tile<A, 16, 8> a) { ct::scaled_mma(l, ls, r, rs, a); };
static_assert(scales<__nv_fp8_e4m3, __nv_fp8_e8m0, 64, 32> && scales<__nv_fp8_e5m2, __nv_fp8_e8m0, 32, 32>);
static_assert(!scales<__nv_fp8_e4m3, __nv_fp8_e8m0, 64, 16> && !scales<__nv_fp8_e4m3, __nv_fp8_e4m3, 64, 32>);
static_assert(scales<__nv_fp4_e2m1, __nv_fp8_e8m0, 64, 16> && scales<__nv_fp4_e2m1, __nv_fp8_e8m0, 64, 32>);
static_assert(scales<__nv_fp4_e2m1, __nv_fp8_e4m3, 64, 16> && !scales<__nv_fp4_e2m1, __nv_fp8_e4m3, 64, 32>);
static_assert(!scales<__nv_fp8_e4m3, __nv_fp8_e8m0, 64, 32, __half> && !scales<float, float, 64, 32>);

// [2.9.1] lists
template <typename T, typename A>
concept lists = requires(A const& values) { T(values); };
static_assert(lists<tile<int, 4>, int[4]> && lists<tile<int, 4>, double[4]> &&
              lists<tile<float, 2, 2>, int[2][2]>); // #constant-lists
static_assert(!lists<tile<int, 4>, int[2]> && !lists<tile<int, 4>, int[2][2]> &&
              !lists<tile<int*, 4>, int* [4]>);
constexpr short squares[2][2] = {{0, 1}, {4, 9}};
static_assert(same<decltype(ct::tile{squares}), tile<short, 2, 2>>);
constexpr short three[3] = {};
static_assert(same<decltype(ct::tile{three}), tile<short const*>>);

// [1.9.4] padding by format
template <typename E>
using view = ct::partition_view<ct::tensor_span<E, ct::extents<uint32_t, 4>>, ct::shape<4>>;
template <typename E, typename Pad>
concept pads = requires(view<E> const& v, Pad pad) { v.load_masked(pad, 0); };
using nan_t = ct::view_padding_nan_t;
using inf_t = ct::view_padding_negative_inf_t;
using minus_t = ct::view_padding_negative_zero_t;
static_assert(pads<__nv_fp8_e4m3, nan_t> && pads<__nv_fp8_e4m3, minus_t> && !pads<__nv_fp8_e4m3, inf_t>);
static_assert(pads<__nv_fp8_e5m2, nan_t> && pads<__nv_fp8_e5m2, inf_t> && pads<__nv_tf32, inf_t>);
static_assert(pads<__nv_fp8_e8m0, nan_t> && !pads<__nv_fp8_e8m0, minus_t> && !pads<__nv_fp8_e8m0, inf_t>);
static_assert(!pads<__nv_fp8_e8m0, ct::view_padding_zero_t> && pads<__nv_fp4_e2m1, ct::view_padding_zero_t>);
static_assert(!pads<__nv_fp4_e2m1, nan_t> && !pads<__nv_fp4_e2m1, minus_t> && !pads<int, nan_t>);

// ue5m3, which ranks below bfloat16 alone
static_assert(ct::restricted_floating_point_scalar<__nv_fp8_ue5m3>);
static_assert(stores<__nv_bfloat16, __nv_fp8_ue5m3> && stores<float, __nv_fp8_ue5m3>);
static_assert(!stores<__half, __nv_fp8_ue5m3> && !stores<__nv_fp8_ue5m3, __nv_fp8_e4m3> &&
              !stores<__nv_fp8_ue5m3, __nv_fp4_e2m1> && !stores<__nv_fp8_e5m2, __nv_fp8_ue5m3>);
static_assert(scales<__nv_fp4_e2m1, __nv_fp8_ue5m3, 64, 16> &&
              scales<__nv_fp4_e2m1, __nv_fp8_ue5m3, 64, 32> &&
              !scales<__nv_fp8_e4m3, __nv_fp8_ue5m3, 64, 32>);
static_assert(pads<__nv_fp8_ue5m3, nan_t> && pads<__nv_fp8_ue5m3, ct::view_padding_zero_t> &&
              !pads<__nv_fp8_ue5m3, minus_t> && !pads<__nv_fp8_ue5m3, inf_t>);
