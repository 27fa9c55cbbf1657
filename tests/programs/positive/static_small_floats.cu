// [1.4] [1.7] The small floating point types of NVIDIA's headers: half, bfloat16, fp8, tf32.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_tf32.h>

#include "programs.h"

using half = __half;
using bfloat16 = __nv_bfloat16;
using e4m3 = __nv_fp8_e4m3;
using e5m2 = __nv_fp8_e5m2;
using tf32 = __nv_tf32;

// [1.4] categories
template <typename T>
constexpr bool is_basic =
    ct::scalar<T> && ct::arithmetic_scalar<T> && ct::numeric_scalar<T> && ct::floating_point_scalar<T> &&
    ct::basic_floating_point_scalar<T> && ct::basic_floating_point_tile<tile<T, 2>> &&
    !ct::restricted_floating_point_tile<T> && !ct::restricted_floating_point_scalar<T> &&
    !ct::integral_tile<T> && !ct::pointer_tile<T>;
template <typename T>
constexpr bool is_restricted =
    ct::scalar<T> && ct::numeric_scalar<T> && ct::floating_point_scalar<T> &&
    ct::restricted_floating_point_scalar<T> && ct::restricted_floating_point_tile<tile<T, 2>> &&
    !ct::arithmetic_tile<T> && !ct::arithmetic_scalar<T> && !ct::basic_floating_point_tile<T> &&
    !ct::basic_floating_point_scalar<T> && !ct::integral_tile<T> && !ct::pointer_tile<T>;
static_assert(is_basic<half> && is_basic<bfloat16>);
static_assert(is_basic<half const>);        // #qualified-small-floats
static_assert(is_basic<bfloat16 volatile>); // #qualified-small-floats
static_assert(is_restricted<e4m3> && is_restricted<e5m2> && is_restricted<tf32>);
static_assert(is_restricted<tf32 const>); // #qualified-small-floats
static_assert(is_restricted<e4m3 const>); // #qualified-small-floats
static_assert(ct::pointer_scalar<half volatile const*> && ct::pointer_scalar<e4m3*> &&
              ct::pointer_scalar<tf32 const*>);
static_assert(!ct::scalar<__half2> && !ct::scalar<__nv_bfloat162>);

// [2.1.2.16] restricted_floating_point_scalar subsumes floating_point_tile and floating_point_scalar
template <ct::floating_point_tile T>
__tile__ char among_floats(T*);
template <ct::floating_point_scalar T>
__tile__ short among_floats(T*);
template <ct::restricted_floating_point_scalar T>
__tile__ int among_floats(T*);
static_assert(same<decltype(among_floats(any<tf32*>())), int> &&
              same<decltype(among_floats(any<half*>())), short>);
static_assert(same<decltype(among_floats(any<tile<tf32, 2>*>())), char>);

// [1.7.1] [1.7.2] conversions exist between all; without narrowing only to a greater rank
template <typename T, typename U>
constexpr bool widens = ct::scalar_convertible_to<T, U> && ct::non_narrowing_scalar_convertible_to<T, U> &&
                        ct::non_narrowing_tile_convertible_to<tile<T, 4>, tile<U, 4>>;
template <typename T, typename U>
constexpr bool narrows = ct::scalar_convertible_to<T, U> && !ct::non_narrowing_scalar_convertible_to<T, U> &&
                         ct::tile_convertible_to<tile<T, 4>, tile<U, 4>> &&
                         !ct::non_narrowing_tile_convertible_to<tile<T, 4>, tile<U, 4>>;
template <typename T, typename U>
constexpr bool ranks_below = widens<T, U> && narrows<U, T>;
template <typename T, typename U>
constexpr bool unordered = narrows<T, U> && narrows<U, T>;
static_assert(ranks_below<e4m3, half> && ranks_below<e4m3, bfloat16> && ranks_below<e4m3, tf32>);
static_assert(ranks_below<e5m2, half> && ranks_below<e5m2, bfloat16> && ranks_below<e5m2, float>);
static_assert(ranks_below<half, tf32> && ranks_below<half, float> && ranks_below<half, double>);
static_assert(ranks_below<bfloat16, tf32> && ranks_below<bfloat16, float> && ranks_below<bfloat16, double>);
static_assert(ranks_below<tf32, float> && ranks_below<tf32, double> && ranks_below<e4m3, double>);
static_assert(unordered<e4m3, e5m2> && unordered<half, bfloat16>);
static_assert(widens<half, half> && widens<e4m3, e4m3> && widens<tf32, tf32>);
static_assert(narrows<int, half> && narrows<half, int> && narrows<bool, e5m2> && narrows<e4m3, bool>);
static_assert(narrows<long long, tf32> && narrows<tf32, unsigned char> && narrows<signed char, bfloat16>);
static_assert(ct::bool_tile_convertible<tf32> && ct::bool_tile_convertible<tile<e4m3, 4>>);
static_assert(!ct::scalar_convertible_to<half*, bfloat16*> && !ct::scalar_convertible_to<half, half*>);

// [1.7.4] arithmetic conversions: of basic floating point types alone
template <typename T, typename U, typename C>
constexpr bool common = false;
template <typename T, typename U, typename C>
  requires ct::arithmetic_tile_convertible<T, U> && ct::arithmetic_tile_comparable<T, U>
constexpr bool common<T, U, C> =
    same<ct::arithmetic_tile_conversion_t<T, U>, C> && same<ct::arithmetic_tile_comparison_t<T, U>, C>;
template <typename T, typename U>
concept either = ct::arithmetic_tile_convertible<T, U> || ct::arithmetic_tile_comparable<T, U>;
static_assert(common<half, float, float> && common<float, half, float> && common<half, half, half>);
static_assert(common<bfloat16, double, double> && common<int, half, half> &&
              common<bool, bfloat16, bfloat16>);
static_assert(common<tile<half, 4>, tile<float, 4>, tile<float, 4>> &&
              common<tile<half, 4>, int, tile<half, 4>>);
static_assert(!either<half, bfloat16> && !either<tile<half, 4>, bfloat16> &&
              !either<tile<bfloat16, 4>, tile<half, 4>>);
static_assert(!ct::arithmetic_tile_convertible<tile<half, 4>, float> &&
              ct::arithmetic_tile_comparable<tile<half, 4>, float>);
static_assert(same<ct::arithmetic_tile_comparison_t<tile<half, 4>, float>, tile<float, 4>>);
static_assert(!either<e4m3, e4m3> && !either<e5m2, float> && !either<tf32, tf32> &&
              !either<tile<tf32, 4>, int>);
static_assert(same<ct::arithmetic_tile_promotion_t<half>, half>);
static_assert(same<ct::arithmetic_tile_promotion_t<tile<bfloat16, 4>>, tile<bfloat16, 4>>);

// [2.2] to [2.4] results
using half4 = tile<half, 4>;
static_assert(same<decltype(any<half4>() + any<half4>()), half4> && same<decltype(any<half4>() * 2), half4>);
static_assert(same<decltype(ct::add(any<half>(), any<half>())), half>);
static_assert(same<decltype(ct::max(any<bfloat16>(), any<bfloat16>())), bfloat16>);
static_assert(same<decltype(-any<half4>()), half4> && same<decltype(ct::abs(any<bfloat16>())), bfloat16>);
static_assert(same<decltype(ct::remainder(any<half4>(), any<half4>())), half4>);
static_assert(same<decltype(any<half4>() < 1.0f), tile<bool, 4>> &&
              same<decltype(!any<half4>()), tile<bool, 4>>);
static_assert(same<decltype(ct::fma(any<half4>(), any<half>(), any<half4>())), half4>);
static_assert(same<decltype(ct::fma(any<half4>(), any<half4>(), any<tile<float, 4>>())), tile<float, 4>>);
static_assert(same<decltype(ct::exp(any<half4>())), half4> &&
              same<decltype(ct::sqrt(any<bfloat16>())), bfloat16>);
static_assert(same<decltype(ct::isnan(any<half4>())), tile<bool, 4>> &&
              same<decltype(ct::isinf(any<bfloat16>())), bool>);
static_assert(same<decltype(ct::sum(any<half4>(), 0_ic)), tile<half, 1>>);
static_assert(same<decltype(ct::zeros<tile<e4m3, 4>>()), tile<e4m3, 4>> &&
              same<decltype(ct::ones<tf32>()), tf32>);
static_assert(same<decltype(ct::element_cast<e5m2>(any<half4>())), tile<e5m2, 4>>);
static_assert(same<decltype(ct::element_bitcast<half>(any<tile<short, 4>>())), half4>);
static_assert(same<decltype(ct::load(any<tile<tf32*, 4>>())), tile<tf32, 4>>);
template <typename T>
concept has_arithmetic = requires(T x) { ct::add(x, x); } || requires(T x) { ct::abs(x); } ||
                         requires(T x) { ct::exp(x); } || requires(T x) { ct::max(x, x); } ||
                         requires(T x) { ct::sum<0>(x); } || requires(T x) { ct::fma(x, x, x); };
static_assert(has_arithmetic<half4> && has_arithmetic<bfloat16>);
static_assert(!has_arithmetic<tile<e4m3, 4>> && !has_arithmetic<tile<e5m2, 4>> &&
              !has_arithmetic<tile<tf32, 4>>);

// [2.5.1] [2.5.3] element types of matrix multiplication
template <typename L, typename R, typename A>
constexpr bool multiplies = ct::mma_compatible<tile<L, 2, 8>, tile<R, 8, 4>, tile<A, 2, 4>>;
static_assert(multiplies<half, half, half> && multiplies<half, half, float> &&
              !multiplies<half, half, double>);
static_assert(multiplies<e4m3, e4m3, half> && multiplies<e4m3, e4m3, float> && !multiplies<e4m3, e4m3, e4m3>);
static_assert(multiplies<e5m2, e5m2, half> && multiplies<e5m2, e5m2, float>);
static_assert(multiplies<bfloat16, bfloat16, float> && !multiplies<bfloat16, bfloat16, bfloat16>);
static_assert(multiplies<tf32, tf32, float> && !multiplies<tf32, tf32, half>);
static_assert(!multiplies<bfloat16, bfloat16, half> && !multiplies<half, half, bfloat16>);
static_assert(!multiplies<half, bfloat16, float> && !multiplies<half, float, float> &&
              !multiplies<tf32, float, float>);
static_assert(!multiplies<e4m3, e5m2, float>); // ranks are unordered
template <typename E>
using product = ct::tile_element_t<ct::matmul_result_t<tile<E, 2, 8>, tile<E, 8, 4>>>;
static_assert(same<product<half>, half> && same<product<e4m3>, half> && same<product<e5m2>, half>);
static_assert(same<product<bfloat16>, float> && same<product<tf32>, float> && same<product<float>, float>);
static_assert(!ct::matmul_compatible<tile<e4m3, 2, 8>, tile<e5m2, 8, 4>>);
static_assert(!ct::matmul_compatible<tile<half, 2, 8>, tile<bfloat16, 8, 4>>);

// [2.7.12] [2.7.13] half in atomic additions; not in exchanges
using relaxed = ct::memory_order_relaxed_t;
template <typename E>
concept adds = requires(E* p, E v) {
  ct::atomic_add(p, v, relaxed{});
  ct::atomic_sub(p, v, relaxed{});
  ct::atomic_add_masked(p, v, true, relaxed{});
  ct::atomic_sub_masked(p, v, true, relaxed{});
};
template <typename E>
concept exchanges = requires(E* p, E v) { ct::atomic_xchg(p, v, relaxed{}); } || requires(E* p, E v) {
  ct::atomic_compare_exchange(p, v, v, relaxed{});
} || requires(E* p, E v) { ct::atomic_max(p, v, relaxed{}); };
static_assert(adds<half> && !adds<e4m3> && !adds<tf32> && !exchanges<half> && !exchanges<bfloat16> &&
              !exchanges<tf32>);

// [2.12.1] padding of views; static_additions_13_5.cu has what later versions allow
template <typename E, auto Padding>
concept pads = requires(ct::partition_view<ct::tensor_span<E, ct::shape<4>>, ct::shape<2>> const& v) {
  v.template load_masked<Padding>(0);
};
static_assert(pads<half, ct::view_padding::nan> && pads<bfloat16, ct::view_padding::negative_zero>);
static_assert(pads<e4m3, ct::view_padding::zero> && pads<tf32, ct::view_padding::zero>);
static_assert(!pads<e4m3, ct::view_padding::positive_inf>);

// [2.9.1]
#if !defined(CUDA_TILE_BLOCK_THREADS)
static_assert(sizeof(half4) == 8 && alignof(half4) == alignof(half) && sizeof(tile<e4m3, 8>) == 8);
static_assert(sizeof(tile<tf32, 4>) == 16 && alignof(tile<tf32, 4>) == 4);
#endif
static_assert(__is_trivially_copyable(half4) && __is_trivially_copyable(tile<e5m2, 4>));
static_assert(constructible<half4, tile<float, 4>> && !implicit<tile<float, 4>, half4> &&
              implicit<half4, tile<float, 4>>);
static_assert(constructible<tile<bfloat16, 4>, half4> && !implicit<half4, tile<bfloat16, 4>>);
