// [2.12] partition_view: types, and which calls are well-formed.
#include "programs.h"

constexpr auto dyn = ct::dynamic_extent;
template <auto... Lengths>
using ext = ct::extents<uint32_t, Lengths...>;
template <typename E>
using view = ct::partition_view<ct::tensor_span<E, ext<4, dyn>>, ct::shape<2, 8>>;

// types
static_assert(same<view<int>::span_type, ct::tensor_span<int, ext<4, dyn>>>);
static_assert(same<view<int>::view_shape_type, ct::shape<2, 8>>);
static_assert(same<view<int const>::element_type, int const> && same<view<int const>::value_type, int>);
static_assert(same<view<int>::index_type, uint32_t>);
static_assert(same<view<int const>::view_tile_type, tile<int, 2, 8>>);
static_assert(__is_trivially_copyable(view<int>));
static_assert(same<decltype(any<view<int> const>().span()), view<int>::span_type const&>);
static_assert(noexcept(any<view<int>>().span()));

// construction and deduction
static_assert(
    same<decltype(ct::partition_view{any<ct::tensor_span<int, ext<4, dyn>>>(), ct::shape{2_ic, 8_ic}}),
         view<int>>);
static_assert(constructible<view<int>, view<int>::span_type, ct::shape<2, 8>>);
static_assert(noexcept(view<int>(any<view<int>::span_type>(), ct::shape<2, 8>{}))); // #noexcept-views
template <typename Span, typename Shape>
concept has_view = requires { typename ct::partition_view<Span, Shape>; };
static_assert(has_view<ct::tensor_span<int, ext<4, dyn>>, ct::shape<2, 8>>);
static_assert(has_view<ct::tensor_span<int, ext<>>, ct::shape<>>);
static_assert(!has_view<ct::tensor_span<int, ext<4, dyn>>, ct::shape<2>>);
static_assert(!has_view<ct::tensor_span<int, ext<4, dyn>>, ct::shape<2, 7>>);
static_assert(!has_view<int*, ct::shape<2>>);

// loads
template <typename V, typename... Idx>
concept loads = requires(V const& v, Idx... idx) { v.load(idx...); };
template <typename V, typename... Idx>
concept loads_masked = requires(V const& v, Idx... idx) { v.load_masked(idx...); };
static_assert(loads<view<int>, int, int> && loads_masked<view<int>, int, int>);
static_assert(loads<view<int const>, int, int>);
static_assert(loads<view<int>, unsigned, long long> && loads<view<int>, bool, char>);
static_assert(loads<view<int>, float, double>); // scalar convertible, if narrowing
static_assert(!loads<view<int>, int> && !loads<view<int>, int, int, int> && !loads<view<int>>);
static_assert(!loads<view<int>, int*, int>);
static_assert(!loads<view<int>, tile<int>, int>);             // no scalar
static_assert(!loads<view<int>, int, decltype(0_ic)>);        // nor is a constant
static_assert(!loads_masked<view<int>, int, decltype(0_ic)>); // the same
static_assert(same<decltype(any<view<int const>>().load(0, 0)), tile<int, 2, 8>>);
static_assert(same<decltype(any<view<int>>().load_masked(0, 0)), tile<int, 2, 8>>);
static_assert(noexcept(any<view<int>>().load(0, 0)) && noexcept(any<view<int>>().load_masked(0, 0)));
using view_of_rank_0 = ct::partition_view<ct::tensor_span<int, ext<>>, ct::shape<>>;
static_assert(loads<view_of_rank_0> && !loads<view_of_rank_0, int>);
static_assert(same<decltype(any<view_of_rank_0>().load()), tile<int>>);

// padding other than zero is for basic floating point elements
template <typename V, auto Padding>
concept pads = requires(V const& v) {
  v.template load_masked<Padding>(0, 0);
  v.load_masked(ct::view_padding_constant<Padding>{}, 0, 0);
};
static_assert(pads<view<int>, ct::view_padding::zero> && pads<view<float>, ct::view_padding::zero>);
static_assert(!pads<view<int>, ct::view_padding::nan> && pads<view<float>, ct::view_padding::nan>);
static_assert(!pads<view<int>, ct::view_padding::positive_inf> &&
              pads<view<double>, ct::view_padding::positive_inf>);
static_assert(!pads<view<int>, ct::view_padding::negative_inf> &&
              pads<view<double>, ct::view_padding::negative_inf>);
static_assert(!pads<view<int>, ct::view_padding::negative_zero>);
static_assert(pads<view<float const>, ct::view_padding::negative_zero>);

// atomic loads: with a read memory order, given as an argument or not
using relaxed = ct::memory_order_relaxed_t;
template <typename V, auto Order>
concept atomically_loads = requires(V const& v) {
  v.template atomic_load<Order>(0, 0);
  v.atomic_load(ct::memory_order_constant<Order>{}, 0, 0);
};
static_assert(atomically_loads<view<int>, ct::memory_order::relaxed>);
static_assert(atomically_loads<view<int const>, ct::memory_order::acquire>);
static_assert(!atomically_loads<view<int>, ct::memory_order::release>);
static_assert(!atomically_loads<view<int>, ct::memory_order::acq_rel>);
using block = ct::thread_scope_block_t;
using zero = ct::view_padding_zero_t;
static_assert(same<decltype(any<view<int>>().atomic_load(relaxed{}, block{}, 0, 0)), tile<int, 2, 8>>);
static_assert(same<decltype(any<view<int>>()
                                .atomic_load_masked<ct::view_padding::zero, ct::memory_order::relaxed>(0, 0)),
                   tile<int, 2, 8>>);
static_assert(
    same<decltype(any<view<int>>().atomic_load_masked<ct::view_padding::zero, ct::memory_order::relaxed>(
             zero{}, 0, 0)),
         tile<int, 2, 8>>);
static_assert(same<decltype(any<view<int>>().atomic_load_masked(zero{}, relaxed{}, 0, 0)), tile<int, 2, 8>>);
static_assert(
    same<decltype(any<view<int>>().atomic_load_masked(zero{}, relaxed{}, block{}, 0, 0)), tile<int, 2, 8>>);
static_assert(same<decltype(any<view<float>>().atomic_load_masked(ct::view_padding_nan_t{}, relaxed{}, 0, 0)),
                   tile<float, 2, 8>>);

// stores: tiles of the view's shape, whose elements do not narrow
template <typename V, typename Value, typename... Idx>
concept stores = requires(V const& v, Value value, Idx... idx) { v.store(value, idx...); };
template <typename V, typename Value, typename... Idx>
concept stores_masked = requires(V const& v, Value value, Idx... idx) { v.store_masked(value, idx...); };
static_assert(stores<view<int>, tile<int, 2, 8>, int, int> &&
              stores_masked<view<int>, tile<int, 2, 8>, int, int>);
static_assert(stores<view<int>, tile<short, 2, 8>, int, int>);
static_assert(stores<view<double>, tile<float, 2, 8>, int, int>);
static_assert(!stores<view<int>, tile<float, 2, 8>, int, int>);
static_assert(!stores<view<float>, tile<double, 2, 8>, int, int>);
static_assert(!stores<view<int>, tile<int, 8, 2>, int, int> && !stores<view<int>, tile<int, 16>, int, int>);
static_assert(!stores<view<int>, int, int, int>); // not broadcast
static_assert(!stores<view<int>, tile<int, 2, 8>, int>);
static_assert(!stores<view<int const>, tile<int, 2, 8>, int, int>);
static_assert(!stores_masked<view<int const>, tile<int, 2, 8>, int, int>);
static_assert(stores<view_of_rank_0, int> && stores<view_of_rank_0, tile<int>>);
static_assert(same<decltype(any<view<int>>().store(any<tile<int, 2, 8>>(), 0, 0)), void>);
static_assert(noexcept(any<view<int>>().store(any<tile<int, 2, 8>>(), 0, 0)));

// atomic stores: with a write memory order
template <typename V, auto Order>
concept atomically_stores = requires(V const& v, tile<int, 2, 8> const& value) {
  v.template atomic_store<Order>(value, 0, 0);
  v.atomic_store(value, ct::memory_order_constant<Order>{}, 0, 0);
  v.template atomic_store_masked<Order>(value, 0, 0);
  v.atomic_store_masked(value, ct::memory_order_constant<Order>{}, 0, 0);
  v.atomic_store(value, ct::memory_order_constant<Order>{}, block{}, 0, 0);
  v.atomic_store_masked(value, ct::memory_order_constant<Order>{}, block{}, 0, 0);
};
static_assert(atomically_stores<view<int>, ct::memory_order::relaxed>);
static_assert(atomically_stores<view<int>, ct::memory_order::release>);
static_assert(!atomically_stores<view<int>, ct::memory_order::acquire>);
static_assert(!atomically_stores<view<int>, ct::memory_order::acq_rel>);
static_assert(!atomically_stores<view<int const>, ct::memory_order::relaxed>);
