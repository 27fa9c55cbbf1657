// [13.4:2.13] strided_view, [13.4:2.14] gather_scatter_view, atomic updates of views. Since 13.4.
#include "programs.h"

constexpr auto dyn = ct::dynamic_extent;
template <typename E>
using span = ct::tensor_span<E, ct::extents<uint32_t, 4, dyn>>;
using shape = ct::shape<2, 8>;
template <auto... Values>
using strides = ct::strides<uint32_t, Values...>;
template <typename E>
using strided = ct::strided_view<span<E>, shape, strides<3, 5>>;
template <typename E>
using gathering = ct::gather_scatter_view<span<E>, shape, 0>;

// members of strided_view
static_assert(same<strided<int>::span_type, span<int>> && same<strided<int>::view_shape_type, shape>);
static_assert(same<strided<int const>::element_type, int const> && same<strided<int const>::value_type, int>);
static_assert(same<strided<int>::index_type, uint32_t> &&
              same<strided<int>::rank_type, span<int>::rank_type>);
static_assert(same<strided<int const>::view_tile_type, tile<int, 2, 8>>);
static_assert(__is_trivially_copyable(strided<int>) &&
              same<decltype(any<strided<int>>().span()), span<int> const&>);
static_assert(noexcept(any<strided<int>>().span()) && noexcept(any<strided<int>>().load(0, 0)));
static_assert(constructible<strided<int>, span<int>, shape, strides<3, 5>>);
static_assert(constructible<strided<int>, span<int>, shape, strides<3, 5>, ct::offsets<int32_t, 0, 0>>);
static_assert(
    same<decltype(ct::strided_view{any<span<int>>(), shape{}, ct::strides{3_ic, 5_ic}}), strided<int>>);
using zeros = ct::offsets<int32_t, 0, 0>;
static_assert(same<decltype(ct::strided_view{any<span<int>>(), shape{}, ct::strides{3_ic, 5_ic}, zeros{}}),
                   strided<int>>);

// members of gather_scatter_view
static_assert(same<gathering<int>::span_type, span<int>> && same<gathering<int>::view_shape_type, shape>);
static_assert(same<gathering<int const>::element_type, int const> &&
              same<gathering<int const>::value_type, int>);
static_assert(same<gathering<int>::index_type, uint32_t> &&
              same<gathering<int>::rank_type, span<int>::rank_type>);
static_assert(same<gathering<int const>::view_tile_type, tile<int, 2, 8>>);
static_assert(__is_trivially_copyable(gathering<int>) &&
              same<decltype(any<gathering<int>>().span()), span<int> const&>);
static_assert(constructible<gathering<int>, span<int>, shape, decltype(0_ic)> &&
              constructible<gathering<int>, span<int>, shape, int>);
static_assert(same<decltype(ct::gather_scatter_view{any<span<int>>(), shape{}, 0_ic}), gathering<int>>);

// which views exist
template <typename Span, typename Shape, typename Strides>
concept has_strided = requires { typename ct::strided_view<Span, Shape, Strides>; };
static_assert(has_strided<span<int>, shape, strides<1, 9>>);
static_assert(!has_strided<span<int>, shape, strides<0, 9>> &&
              !has_strided<span<int>, shape, strides<dyn, 9>>);
static_assert(!has_strided<span<int>, shape, strides<3>> &&
              !has_strided<span<int>, ct::shape<2>, strides<3>>);
static_assert(!has_strided<span<int>, shape, ct::strides<int, 3, 5>> &&
              !has_strided<span<int>, ct::shape<3, 4>, strides<3, 5>>);
static_assert(!has_strided<span<int>, shape, ct::extents<uint32_t, 3, 5>>);
template <typename Offsets>
concept has_offsets = requires { typename ct::strided_view<span<int>, shape, strides<3, 5>, Offsets>; };
static_assert(has_offsets<zeros> && !has_offsets<ct::offsets<int32_t, 0, 1>> &&
              !has_offsets<ct::offsets<int64_t, 0, 0>>);
template <typename Span, typename Shape, size_t Dim>
concept has_gathering = requires { typename ct::gather_scatter_view<Span, Shape, Dim>; };
static_assert(has_gathering<span<int>, shape, 1> && !has_gathering<span<int>, shape, 2>);
static_assert(!has_gathering<span<int>, ct::shape<2>, 0> && !has_gathering<span<int>, ct::shape<2, 3>, 0>);

// indices
template <typename V, typename... Idx>
concept loads = requires(V const& v, Idx... idx) {
  v.load(idx...);
  v.load_masked(idx...);
};
static_assert(loads<strided<int>, int, float> && !loads<strided<int>, int> &&
              !loads<strided<int>, tile<int>, int>);
static_assert(loads<gathering<int>, tile<int, 2>, int> && loads<gathering<int>, tile<float, 2>, double>);
static_assert(!loads<gathering<int>, int, int> && !loads<gathering<int>, tile<int, 4>, int> &&
              !loads<gathering<int>, tile<int, 1>, int>);
static_assert(!loads<gathering<int>, tile<int, 2>, tile<int, 8>> &&
              !loads<gathering<int>, tile<int*, 2>, int>);
static_assert(!loads<gathering<int>, tile<int, 2>> &&
              loads<ct::gather_scatter_view<span<int>, shape, 1>, int, tile<short, 8>>);

// loads and stores
static_assert(same<decltype(any<strided<int const>>().load(0, 0)), tile<int, 2, 8>>);
static_assert(
    same<decltype(any<gathering<int const>>().load_masked(any<tile<int, 2>>(), 0)), tile<int, 2, 8>>);
template <typename V, typename T, typename... Idx>
concept stores = requires(V const& v, T x, Idx... idx) {
  v.store(x, idx...);
  v.store_masked(x, idx...);
};
static_assert(stores<strided<int>, tile<short, 2, 8>, int, int> &&
              !stores<strided<int>, tile<float, 2, 8>, int, int>);
static_assert(!stores<strided<int>, int, int, int> && !stores<strided<int>, tile<int, 1, 8>, int, int>);
static_assert(!stores<strided<int const>, tile<int, 2, 8>, int, int>);
static_assert(stores<gathering<int>, tile<short, 2, 8>, tile<int, 2>, int> &&
              !stores<gathering<int const>, tile<int, 2, 8>, tile<int, 2>, int>);
static_assert(!stores<gathering<int>, int, tile<int, 2>, int>);

// atomic updates
template <typename V, typename T, typename Order = ct::memory_order_relaxed_t,
          typename Scope = ct::thread_scope_device_t>
concept adds = requires(V const& v, T x) {
  v.atomic_add(x, Order{}, Scope{}, 0, 0);
  v.atomic_sub(x, Order{}, Scope{}, 0, 0);
};
template <typename V, typename T>
concept ands = requires(V const& v, T x) {
  v.atomic_and(x, ct::memory_order_relaxed_t{}, ct::thread_scope_block_t{}, 0, 0);
};
using partition = ct::partition_view<span<int>, shape>;
static_assert(same<partition::rank_type, span<int>::rank_type>);
static_assert(adds<partition, tile<int, 2, 8>> && adds<strided<float>, tile<float, 2, 8>> &&
              ands<strided<int>, tile<int, 2, 8>>);
static_assert(adds<strided<int>, tile<short, 2, 8>> && adds<strided<int>, tile<bool, 2, 8>> &&
              !adds<strided<int>, tile<int64_t, 2, 8>>);
static_assert(!adds<strided<int>, int> && !adds<strided<int>, tile<int, 1, 8>> &&
              !adds<strided<int const>, tile<int, 2, 8>>);
static_assert(!adds<strided<short>, tile<short, 2, 8>> && !ands<strided<float>, tile<float, 2, 8>>);
static_assert(!adds<strided<int>, tile<int, 2, 8>, ct::memory_order_release_t> &&
              !adds<strided<int>, tile<int, 2, 8>, ct::memory_order_acq_rel_t>);
static_assert(!adds<strided<int>, tile<int, 2, 8>, ct::memory_order_relaxed_t, ct::thread_scope_system_t>);
static_assert(adds<strided<int>, tile<int, 2, 8>, ct::memory_order_relaxed_t, ct::thread_scope_block_t>);
static_assert(same<decltype(any<partition>().atomic_max(any<tile<int, 2, 8>>(), ct::memory_order_relaxed_t{},
                                                        ct::thread_scope_block_t{}, 0, 0)),
                   void>);
template <typename V>
concept updates = requires(V const& v, typename V::view_tile_type x) {
  v.atomic_add(x, ct::memory_order_relaxed_t{}, ct::thread_scope_block_t{}, any<tile<int, 2>>(), 0);
};
static_assert(!updates<gathering<int>>);
