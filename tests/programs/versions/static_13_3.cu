// What only the API of 13.3 has, and what it does not have yet: compiled with CUDA_TILE_API_VERSION 1303.
#include <cuda_bf16.h>
#include <cuda_fp4.h>
#include <cuda_fp8.h>
#include <cuda_tf32.h>

#include "programs.h"

// what later versions refuse or read otherwise
static_assert(same<decltype(ct::exp<double>(0.0)), double> && same<decltype(ct::tanh<double>(0.0)), double>);
static_assert(same<decltype(ct::element_bitcast<float>(any<tile<__nv_tf32, 4>>())), tile<float, 4>>);
static_assert(same<decltype(ct::element_bitcast<__nv_tf32>(any<tile<float, 4>>())), tile<__nv_tf32, 4>>);
constexpr short array[4] = {};
static_assert(same<decltype(ct::tile{array}), tile<short const*>>);

// what later versions add
using bx4 = tile<bool, 4>;
using relaxed = ct::memory_order_relaxed_t;
template <typename T>
concept complements = requires(T x) { ~x; };
template <typename T>
concept shifts = requires(T x) { x << 0; } || requires(T x) { x >> 0; };
static_assert(!complements<bx4> && !shifts<bx4> && complements<tile<int, 4>> && shifts<tile<int, 4>>);
template <typename T>
concept classifies = requires(T x) { ct::isnan(x); } || requires(T x) { ct::isinf(x); };
static_assert(classifies<float> && !classifies<tile<__nv_fp8_e4m3, 4>> && !classifies<tile<__nv_tf32, 4>>);
template <typename T, typename U>
concept powers = requires(T x, U y) { ct::pow(x, y); };
static_assert(powers<float, float> && !powers<float, int>);
template <typename T>
concept adds = requires(T* p, T x) { ct::atomic_add(p, x, relaxed{}); };
static_assert(adds<float> && !adds<__nv_bfloat16>);
template <typename Mode>
concept approximates = requires(Mode m) { ct::exp(1.0f, m); } || requires(Mode m) { ct::tanh(1.0f, m); };
static_assert(!approximates<ct::round_approximate_t>);
static_assert(!ct::scalar<__nv_fp4_e2m1> && !ct::scalar<__nv_fp8_e8m0>);
template <typename T>
concept has_index_type = requires { typename T::index_type; };
static_assert(!has_index_type<bx4> && has_index_type<ct::shape<4>>);
template <typename V>
concept updates =
    requires(V const& v, V::view_tile_type x) { v.atomic_add(x, relaxed{}, ct::thread_scope_block_t{}, 0); };
static_assert(!updates<ct::partition_view<ct::tensor_span<int, ct::extents<int, 4>>, ct::shape<4>>>);
template <typename E>
concept lists = requires(E const (&values)[4]) { tile<E, 4>(values); };
static_assert(!lists<int>);
template <typename V>
concept pads = requires(V const& v) { v.load_masked(ct::view_padding_nan_t{}, 0); };
template <typename E>
using view = ct::partition_view<ct::tensor_span<E, ct::extents<int, 4>>, ct::shape<4>>;
static_assert(pads<view<float>> && !pads<view<__nv_fp8_e4m3>>);
