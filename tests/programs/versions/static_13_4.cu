// What only the API of 13.3 and 13.4 has, and what 13.4 does not have yet.
#include <cuda_fp4.h>
#include <cuda_fp8.h>
#include <cuda_tf32.h>

#include "programs.h"

// what 13.5 refuses or reads otherwise
static_assert(same<decltype(ct::element_bitcast<float>(any<tile<__nv_tf32, 4>>())), tile<float, 4>>);
static_assert(same<decltype(ct::element_bitcast<__nv_tf32>(any<tile<unsigned, 4>>())), tile<__nv_tf32, 4>>);
constexpr short array[4] = {};
static_assert(same<decltype(ct::tile{array}), tile<short const*>>);

// what 13.4 refuses or adds, as later versions do
template <typename T>
concept named = requires(T x) { ct::exp<T>(x); };
static_assert(!named<double> && same<decltype(ct::exp<ct::rounding_mode::round_full>(0.0)), double>);

// what 13.5 adds
template <typename T, typename U>
concept powers = requires(T x, U y) { ct::pow(x, y); };
static_assert(powers<float, float> && !powers<float, int>);
static_assert(!ct::scalar<__nv_fp4_e2m1> && !ct::scalar<__nv_fp8_e8m0>);
template <typename E>
concept lists = requires(E const (&values)[4]) { tile<E, 4>(values); };
static_assert(!lists<int>);
template <typename To, typename From, typename Mode>
concept casts = requires(From x, Mode m) { ct::element_cast<To>(x, m); };
static_assert(!casts<float, double, ct::round_toward_zero_t>);
template <typename V>
concept pads = requires(V const& v) { v.load_masked(ct::view_padding_nan_t{}, 0); };
template <typename E>
using view = ct::partition_view<ct::tensor_span<E, ct::extents<int, 4>>, ct::shape<4>>;
static_assert(pads<view<float>> && !pads<view<__nv_fp8_e4m3>>);
using order = ct::memory_order_relaxed_t;
using scope = ct::thread_scope_block_t;
template <typename V>
concept updates = requires(V const& v, V::view_tile_type x) { v.atomic_add(x, order{}, scope{}, 0); };
template <typename V>
concept masked_updates =
    requires(V const& v, V::view_tile_type x) { v.atomic_add_masked(x, order{}, scope{}, 0); };
static_assert(updates<view<int>> && !masked_updates<view<int>>);
