// [2.10] The five layouts and their mappings, [1.8.1] what a layout mapping is.
#include "programs.h"

constexpr auto dyn = ct::dynamic_extent;
template <auto... Lengths>
using ext = ct::extents<uint32_t, Lengths...>;

using right = ct::layout_right_mapping<ext<2, 3, 4>>;
using left = ct::layout_left_mapping<ext<2, 3, 4>>;
using right_padded = ct::layout_right_padded_mapping<ext<2, 3>, 4>;
using left_padded = ct::layout_left_padded_mapping<ext<4, 2>, 6>;
using strided = ct::layout_strided_mapping<ext<2, 3>, ext<6, 2>>;

// [2.1.6.1]
static_assert(ct::layout_mapping<right> && ct::layout_mapping<left> && ct::layout_mapping<right_padded>);
static_assert(ct::layout_mapping<left_padded> && ct::layout_mapping<strided>);
static_assert(ct::layout_mapping<ct::layout_right_mapping<ext<>>>);
static_assert(ct::layout_mapping<ct::layout_right_padded_mapping<ext<>, 4>>);
static_assert(ct::layout_mapping<ct::layout_left_padded_mapping<ext<dyn>, dyn>>);
static_assert(!ct::layout_mapping<int> && !ct::layout_mapping<ext<4>> && !ct::layout_mapping<right&>);
static_assert(!ct::layout_mapping<right const>); // cannot be assigned #const-models
static_assert(!ct::layout_mapping<ct::layout_right>);

// [2.10.1] and the like: the mapping of a policy, and the policy of a mapping
template <typename M>
constexpr bool belongs_to_policy =
    same<typename M::layout_type::template mapping<typename M::extents_type>, M> && M::is_always_strided() &&
    same<typename M::rank_type, typename M::extents_type::rank_type> &&
    same<typename M::index_type, typename M::extents_type::index_type> && __is_trivially_copyable(M) &&
    same<decltype(any<M const>().extents()), typename M::extents_type const&> &&
    same<decltype(any<M const>().stride(0)), typename M::index_type> &&
    same<decltype(M::static_stride(0)), decltype(sizeof(0))> && noexcept(any<M>().stride(0)) &&
    noexcept(any<M>().extents()) && noexcept(M::static_stride(0)) && noexcept(M::is_always_strided());
static_assert(belongs_to_policy<right> && same<right::layout_type, ct::layout_right>);
static_assert(belongs_to_policy<left> && same<left::layout_type, ct::layout_left>);
static_assert(belongs_to_policy<right_padded> && same<right_padded::layout_type, ct::layout_right_padded<4>>);
static_assert(belongs_to_policy<left_padded> && same<left_padded::layout_type, ct::layout_left_padded<6>>);
static_assert(belongs_to_policy<strided> && same<strided::layout_type, ct::layout_strided<ext<6, 2>>>);
static_assert(belongs_to_policy<ct::layout_right_mapping<ct::extents<short, 2, dyn>>>);
static_assert(same<right::extents_type, ext<2, 3, 4>> && same<strided::extents_type, ext<2, 3>>);

// [2.10.2] row major
static_assert(right::static_stride(0) == 12 && right::static_stride(1) == 4 && right::static_stride(2) == 1);
static_assert(right{{}}.stride(0) == 12); // #constexpr-mapping
static_assert(right{{}}.stride(2) == 1);  // #constexpr-mapping
static_assert(ct::layout_right_mapping<ext<2, dyn, 4>>::static_stride(0) == dyn);
static_assert(ct::layout_right_mapping<ext<2, dyn, 4>>::static_stride(1) == 4);
static_assert(ct::layout_right_mapping<ext<dyn, 3, 4>>::static_stride(0) == 12);
static_assert(ct::layout_right_mapping{ext<2, dyn, 4>{5}}.stride(0) == 20);             // #constexpr-mapping
static_assert(ct::layout_right_mapping{ext<2, dyn, 4>{5}}.extents() == ext<2, 5, 4>{}); // #constexpr-mapping

// [2.10.4] column major
static_assert(left::static_stride(0) == 1 && left::static_stride(1) == 2 && left::static_stride(2) == 6);
static_assert(left{{}}.stride(2) == 6); // #constexpr-mapping
static_assert(ct::layout_left_mapping<ext<2, dyn, 4>>::static_stride(0) == 1);
static_assert(ct::layout_left_mapping<ext<2, dyn, 4>>::static_stride(1) == 2);
static_assert(ct::layout_left_mapping<ext<2, dyn, 4>>::static_stride(2) == dyn);
static_assert(ct::layout_left_mapping{ext<2, dyn, 4>{5}}.stride(2) == 10); // #constexpr-mapping

// [2.10.6] rows rounded up to a multiple of the alignment; not where they are a multiple
static_assert(right_padded::static_stride(0) == 4 && right_padded::static_stride(1) == 1);
static_assert(ct::layout_right_padded_mapping<ext<2, 3>, 2>::static_stride(0) == 4);
static_assert(ct::layout_right_padded_mapping<ext<2, 4>, 4>::static_stride(0) == 4);
static_assert(ct::layout_right_padded_mapping<ext<2, 3>, 1>::static_stride(0) == 3);
static_assert(ct::layout_right_padded_mapping<ext<5, 2, 3>, 4>::static_stride(0) == 8);
static_assert(ct::layout_right_padded_mapping<ext<2, dyn>, 4>::static_stride(0) == dyn);
static_assert(ct::layout_right_padded_mapping<ext<dyn, 3>, 4>::static_stride(0) == 4);
static_assert(ct::layout_right_padded_mapping<ext<2, 3>, dyn>::static_stride(0) == dyn);
static_assert(ct::layout_right_padded_mapping<ext<2, 3>, dyn>::static_stride(1) == 1);
static_assert(ct::layout_right_padded_mapping{ext<2, 3>{}, 4}.stride(0) == 4);        // #constexpr-mapping
static_assert(ct::layout_right_padded_mapping{ext<2, 3>{}, 3}.stride(0) == 3);        // #constexpr-mapping
static_assert(ct::layout_right_padded_mapping{ext<2, dyn>{9}, 4_ic}.stride(0) == 12); // #constexpr-mapping
static_assert(right_padded{{}, 8}.stride(0) == 4); // a static alignment stays #constexpr-mapping

// [2.10.8] columns rounded up
static_assert(left_padded::static_stride(0) == 1 && left_padded::static_stride(1) == 6);
static_assert(ct::layout_left_padded_mapping<ext<4, 2>, 3>::static_stride(1) == 6);
static_assert(ct::layout_left_padded_mapping<ext<4, 2, 5>, 4>::static_stride(2) == 8);
static_assert(ct::layout_left_padded_mapping<ext<4, 2>, dyn>::static_stride(1) == dyn);
static_assert(ct::layout_left_padded_mapping{ext<4, 2>{}, 3}.stride(1) == 6); // #constexpr-mapping

// [2.10.10] strides one by one
static_assert(strided::static_stride(0) == 6 && strided::static_stride(1) == 2);
static_assert(ct::layout_strided_mapping<ext<2, 3>, ext<dyn, 1>>::static_stride(0) == dyn);
static_assert(ct::layout_strided_mapping{ext<2, 3>{}, ext<dyn, 1>{9}}.stride(0) == 9); // #constexpr-mapping

// deduction
static_assert(
    same<decltype(ct::layout_right_mapping{ct::extents{2_ic, 3}}), ct::layout_right_mapping<ext<2, dyn>>>);
static_assert(
    same<decltype(ct::layout_left_mapping{ct::extents{2_ic, 3_ic}}), ct::layout_left_mapping<ext<2, 3>>>);
static_assert(same<decltype(ct::layout_right_padded_mapping{ext<2, 3>{}, 4_ic}), right_padded>);
static_assert(same<decltype(ct::layout_right_padded_mapping{ext<2, 3>{}, 4}),
                   ct::layout_right_padded_mapping<ext<2, 3>, dyn>>);
static_assert(same<decltype(ct::layout_left_padded_mapping{ext<4, 2>{}, 6_ic}), left_padded>);
static_assert(same<decltype(ct::layout_left_padded_mapping{ext<4, 2>{}, short(6)}),
                   ct::layout_left_padded_mapping<ext<4, 2>, dyn>>);
static_assert(same<decltype(ct::layout_strided_mapping{ext<2, 3>{}, ct::extents{6_ic, 2_ic}}), strided>);

// construction: explicit from extents, with an alignment that converts to the index type
static_assert(!implicit<ext<2, 3, 4>, right> && constructible<right, ext<2, 3, 4>>);
static_assert(!implicit<ext<2, 3, 4>, left> && constructible<left, ext<2, 3, 4>>);
static_assert(!constructible<right, ext<2, 3>>);
static_assert(constructible<right_padded, ext<2, 3>, long> && !constructible<right_padded, ext<2, 3>, int*>);
static_assert(!constructible<right_padded, ext<2, 3>>);
static_assert(constructible<strided, ext<2, 3>, ext<6, 2>> && !constructible<strided, ext<2, 3>>);

// strides and extents must have one rank and index type
template <typename E, typename S>
concept strides_of = requires { typename ct::layout_strided_mapping<E, S>; };
static_assert(strides_of<ext<2, 3>, ext<dyn, dyn>>);
static_assert(!strides_of<ext<2, 3>, ext<6>>);
static_assert(!strides_of<ext<2, 3>, ct::extents<int, 6, 2>>);

// [2.10.12]
static_assert(ct::layout_mapping_static_stride<right>{}(0) == 12);
static_assert(ct::layout_mapping_static_stride<strided>{}(1) == 2);
static_assert(same<decltype(ct::layout_mapping_static_stride<left>{}(0)), decltype(sizeof(0))>);

// [2.1.6.4] [2.10.11] comparison: extents and strides
static_assert(ct::layout_mapping_equal(right{{}}, ct::layout_right_mapping<ct::extents<int, 2, 3, 4>>{
                                                      {}}));                             // #constexpr-mapping
static_assert(right{{}} == ct::layout_strided_mapping{ext<2, 3, 4>{}, ext<12, 4, 1>{}}); // #constexpr-mapping
static_assert(right{{}} != left{{}});                                                    // #constexpr-mapping
static_assert(ct::layout_right_mapping{ext<4>{}} == ct::layout_left_mapping{ext<4>{}});  // #constexpr-mapping
static_assert(!ct::layout_mapping_equal(ct::layout_right_mapping{ext<4>{}},
                                        ct::layout_right_mapping{ext<4, 1>{}})); // #constexpr-mapping
static_assert(noexcept(any<right>() == any<left>()) &&
              noexcept(ct::layout_mapping_equal(any<right>(), any<left>())));
static_assert(same<decltype(any<right>() == any<left>()), bool>);
