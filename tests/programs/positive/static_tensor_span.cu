// [2.11] tensor_span, [1.8] what tensor span like types are.
#include "programs.h"

constexpr auto dyn = ct::dynamic_extent;
template <auto... Lengths>
using ext = ct::extents<uint32_t, Lengths...>;
using span = ct::tensor_span<float, ext<2, dyn>>;

// [2.11.1] members
static_assert(same<span, ct::tensor_span<float, ext<2, dyn>, ct::layout_right, ct::default_accessor<float>>>);
static_assert(same<span::element_type, float> && same<span::value_type, float>);
static_assert(same<span::extents_type, ext<2, dyn>> && same<span::layout_type, ct::layout_right>);
static_assert(same<span::mapping_type, ct::layout_right_mapping<ext<2, dyn>>>);
static_assert(same<span::index_type, uint32_t> && same<span::rank_type, ext<2, dyn>::rank_type>);
static_assert(same<span::accessor_type, ct::default_accessor<float>>);
static_assert(same<span::data_handle_type, float*> && same<span::reference, float&>);
using const_span = ct::tensor_span<float const, ct::extents<int16_t, 4>, ct::layout_left>;
static_assert(same<const_span::element_type, float const> && same<const_span::value_type, float>);
static_assert(same<const_span::data_handle_type, float const*> && same<const_span::index_type, int16_t>);
static_assert(same<const_span::accessor_type, ct::default_accessor<float const>>);
static_assert(span::rank() == 2 && span::rank_dynamic() == 1);
static_assert(span::static_extent(0) == 2 && span::static_extent(1) == dyn);
static_assert(__is_trivially_copyable(span));

// what the members yield, also in constant expressions
constexpr span s{nullptr, ext<2, dyn>{5}}; // #constexpr-span
static_assert(s.extent(0) == 2);           // #constexpr-span
static_assert(s.extent(1) == 5);           // #constexpr-span
static_assert(s.extents() == ext<2, 5>{}); // #constexpr-span
static_assert(s.mapping().stride(0) == 5); // #constexpr-span
static_assert(s.data_handle() == nullptr); // #constexpr-span
static_assert(same<decltype(any<span const>().extent(0)), uint32_t>);
static_assert(same<decltype(any<span const>().extents()), ext<2, dyn> const&>);
static_assert(same<decltype(any<span const>().mapping()), span::mapping_type const&>);
static_assert(same<decltype(any<span const>().accessor()), span::accessor_type const&>);
static_assert(same<decltype(any<span const>().data_handle()), float*>);
static_assert(noexcept(any<span>().extent(0)) && noexcept(any<span>().mapping()) && noexcept(span::rank()));

// constructors: from a mapping, or from extents where the mapping needs no more
static_assert(constructible<span, float*, ext<2, dyn>>);
static_assert(constructible<span, float*, ext<2, dyn>, ct::layout_right>);
static_assert(constructible<span, float*, ext<2, dyn>, ct::layout_right, ct::default_accessor<float>>);
static_assert(constructible<span, float*, span::mapping_type>);
static_assert(constructible<span, float*, span::mapping_type, ct::default_accessor<float>>);
static_assert(constructible<span, decltype(nullptr), ext<2, dyn>>);
static_assert(!constructible<span, float const*, ext<2, dyn>>);
static_assert(!constructible<span, float*, ext<2, 5>>);
static_assert(constructible<const_span, float*, ct::extents<int16_t, 4>>);
using padded = ct::tensor_span<int, ext<2, 3>, ct::layout_right_padded<4>>;
static_assert(!constructible<padded, int*, ext<2, 3>>);
static_assert(constructible<padded, int*, padded::mapping_type>);
static_assert(noexcept(span(any<float*>(), any<ext<2, dyn>>())));
static_assert(noexcept(span(any<float*>(), any<span::mapping_type>())));

// deduction: from extents, a policy, an accessor, a mapping
static_assert(
    same<decltype(ct::tensor_span{any<int*>(), ct::extents{2_ic, 3}}), ct::tensor_span<int, ext<2, dyn>>>);
static_assert(
    same<decltype(ct::tensor_span{any<int const*>(), ct::shape{2_ic}}), ct::tensor_span<int const, ext<2>>>);
static_assert(same<decltype(ct::tensor_span{any<int*>(), ext<2>{}, ct::layout_left{}}),
                   ct::tensor_span<int, ext<2>, ct::layout_left>>);
static_assert(
    same<decltype(ct::tensor_span{any<int*>(), ext<2>{}, ct::layout_left{}, ct::default_accessor<int>{}}),
         ct::tensor_span<int, ext<2>, ct::layout_left>>);
static_assert(same<decltype(ct::tensor_span{any<int*>(), ct::layout_right_mapping{ext<2>{}}}),
                   ct::tensor_span<int, ext<2>>>);
static_assert(same<decltype(ct::tensor_span{any<int*>(), ct::layout_left_mapping{ext<2, 3>{}}}),
                   ct::tensor_span<int, ext<2, 3>, ct::layout_left>>);
static_assert(
    same<decltype(ct::tensor_span{any<int*>(), ct::layout_right_padded_mapping{ext<2, 3>{}, 4_ic}}), padded>);
static_assert(same<decltype(ct::tensor_span{any<int*>(), ct::layout_strided_mapping{ext<2>{}, ext<3>{}},
                                            ct::default_accessor<int>{}}),
                   ct::tensor_span<int, ext<2>, ct::layout_strided<ext<3>>>>);

// [2.1.6.3] [2.11.2] what is tensor span like, and what can be stored to
static_assert(ct::tensor_span_like<span> && ct::storeable_tensor_span<span>);
static_assert(ct::tensor_span_like<const_span> && !ct::storeable_tensor_span<const_span>);
static_assert(ct::tensor_span_like<padded> && ct::storeable_tensor_span<padded>);
static_assert(ct::tensor_span_like<ct::tensor_span<int*, ext<4>>>); // elements may be pointers
static_assert(!ct::storeable_tensor_span<ct::tensor_span<int volatile, ext<4>>>);
static_assert(!ct::tensor_span_like<int*> && !ct::tensor_span_like<span&>);
static_assert(!ct::tensor_span_like<span const>); // cannot be assigned #const-models
static_assert(!ct::storeable_tensor_span<int*>);

// [2.11.3] [2.1.6.2] accessors
static_assert(ct::accessor_policy<ct::default_accessor<int>> &&
              ct::accessor_policy<ct::default_accessor<int const>>);
static_assert(!ct::accessor_policy<ct::default_accessor<int> const>); // cannot be assigned
static_assert(!ct::accessor_policy<int>);
static_assert(same<ct::default_accessor<int const>::element_type, int const>);
static_assert(same<ct::default_accessor<int const>::data_handle_type, int const*>);
static_assert(same<ct::default_accessor<int>::reference, int&>);
// [2.11.4]
static_assert(ct::enable_contiguous_accessor_policy<ct::default_accessor<int>>);
static_assert(!ct::enable_contiguous_accessor_policy<int>);

// which arguments a tensor_span can have
template <typename E, typename X, typename L, typename A>
concept has_span = requires { typename ct::tensor_span<E, X, L, A>; };
static_assert(has_span<int, ext<4>, ct::layout_left, ct::default_accessor<int>>);
static_assert(!has_span<int, ext<4>, ct::layout_left, ct::default_accessor<float>>);
static_assert(!has_span<int, ext<4>, int, ct::default_accessor<int>>);
static_assert(!has_span<int, int, ct::layout_left, ct::default_accessor<int>>);
static_assert(!has_span<int, ext<4>, ct::layout_left, int>);
