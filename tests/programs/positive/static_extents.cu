// [1.5] [2.8] Extents, and the requirements of extents like types [2.1.3].
#include "programs.h"

constexpr auto dyn = ct::dynamic_extent;
template <auto... Lengths>
using ext = ct::extents<uint32_t, Lengths...>;
using mixed = ext<4, dyn, 7>;

// [2.8.2] the mark of a dynamic extent
static_assert(ct::dynamic_extent == static_cast<decltype(sizeof(0))>(-1));
static_assert(same<decltype(+ct::dynamic_extent), decltype(sizeof(0))>);

// [2.8.1] members
static_assert(same<ct::extents<int16_t, 4>::index_type, int16_t>);
static_assert(same<mixed::rank_type, decltype(sizeof(0))>);
static_assert(ext<>::rank() == 0 && ext<>::rank_dynamic() == 0);
static_assert(ext<3, 4, 5>::rank() == 3 && ext<3, 4, 5>::rank_dynamic() == 0);
static_assert(mixed::rank() == 3 && mixed::rank_dynamic() == 1);
static_assert(ext<dyn, dyn>::rank_dynamic() == 2);
static_assert(mixed::static_extent(0) == 4 && mixed::static_extent(1) == dyn && mixed::static_extent(2) == 7);
static_assert(same<decltype(mixed::rank()), mixed::rank_type>);
static_assert(same<decltype(mixed::rank_dynamic()), mixed::rank_type>);
static_assert(same<decltype(mixed::static_extent(0)), decltype(sizeof(0))>);
static_assert(same<decltype(any<ct::extents<int16_t, dyn>>().extent(0)), int16_t>);
static_assert(noexcept(mixed::rank()) && noexcept(mixed::static_extent(0)) &&
              noexcept(any<mixed>().extent(0)));

// default construction: dynamic extents are 0
static_assert(mixed{}.extent(0) == 4 && mixed{}.extent(1) == 0 && mixed{}.extent(2) == 7);
static_assert(ext<33, 0>{}.extent(0) == 33 && ext<33, 0>{}.extent(1) == 0);

// from the dynamic extents, and from all
static_assert(mixed{5}.extent(1) == 5); // #constexpr-extents
static_assert(mixed{4, 5, 7}.extent(1) == 5 && mixed{4, 5, 7}.extent(2) == 7);
static_assert(ext<dyn, 4, dyn>{3, 7}.extent(0) == 3); // #constexpr-extents
static_assert(ext<dyn, 4, dyn>{3, 7}.extent(2) == 7); // #constexpr-extents
static_assert(ext<dyn, dyn>{3, 7}.extent(1) == 7);    // #constexpr-extents
static_assert(ext<4, 8>{4, 8}.extent(1) == 8);
static_assert(ext<dyn>{3_ic}.extent(0) == 3); // #constexpr-extents
static_assert(constructible<mixed, int> && constructible<mixed, int, int, int> && constructible<mixed, long>);
static_assert(constructible<mixed, decltype(5_ic)>); // whatever converts to the index type
static_assert(!constructible<mixed, int, int> && !constructible<mixed, int, int, int, int>);
static_assert(!constructible<mixed, int*>);
static_assert(!constructible<ext<>, int>);
static_assert(!constructible<ext<4, 8>, int>);
static_assert(!implicit<int, mixed> && !implicit<int, ext<dyn>>); // explicit
static_assert(noexcept(mixed(1)) && noexcept(mixed(4, 1, 7)) && noexcept(mixed()));

// a regular, trivially copyable type, as large as what it stores
static_assert(__is_trivially_copyable(mixed) && __is_trivially_copyable(ext<4>));
static_assert(constructible<mixed> && constructible<mixed, mixed const&>);
static_assert(sizeof(ct::extents<uint16_t, dyn, 4, dyn>) == 4 && alignof(ct::extents<uint16_t, dyn>) == 2);
static_assert(sizeof(ct::extents<uint64_t, dyn, dyn, dyn>) == 24);
static_assert(__is_empty(ext<4, 8>) && __is_empty(ext<>));

// deduction: constants are static, everything else is dynamic, the index type is uint32_t
static_assert(same<decltype(ct::extents{4_ic, 7}), ext<4, dyn>>);
static_assert(same<decltype(ct::extents{4_ic, 8_ic}), ext<4, 8>>);
static_assert(same<decltype(ct::extents{7}), ext<dyn>>);
static_assert(same<decltype(ct::extents{}), ext<>>);
static_assert(same<decltype(ct::extents{7ull, short(1), 'a'}), ext<dyn, dyn, dyn>>);
static_assert(same<decltype(ct::extents{ct::integral_constant<short(3)>{}}), ext<3>>);
static_assert(
    same<decltype(ct::extents{1_ic, 2_ic, 3_ic, 4_ic, 5_ic, 6_ic, 7_ic, 8_ic}), ext<1, 2, 3, 4, 5, 6, 7, 8>>);
// [2.8.3] shape
static_assert(same<ct::shape<4, 5>, ct::extents<uint32_t, 4, 5>>);
static_assert(same<ct::shape<>, ct::extents<uint32_t>>);
static_assert(same<decltype(ct::shape{4_ic, 8_ic}), ct::shape<4, 8>>);
static_assert(same<decltype(ct::shape{1024_ic}), ct::shape<1024>>);
static_assert(same<decltype(ct::shape{2_ic * 3_ic, 1_ic}), ct::shape<6, 1>>);

// [2.1.3.1] extents like
static_assert(ct::extents_like<ext<>> && ct::extents_like<mixed>);
static_assert(ct::extents_like<ct::extents<bool, 1>>); // bool is integral #bool-index-type
static_assert(!ct::extents_like<int> && !ct::extents_like<mixed&> && !ct::extents_like<tile<int>>);
static_assert(!ct::extents_like<mixed const>); // cannot be assigned #const-models
// [2.1.3.3] shape like
static_assert(ct::shape_like<ext<>> && ct::shape_like<ct::shape<4, 7>> &&
              ct::shape_like<ct::extents<int16_t, 0>>);
static_assert(!ct::shape_like<mixed> && !ct::shape_like<int>);

// [2.1.3.4] number of elements
static_assert(ct::shape_size_v<ct::shape<>> == 1);
static_assert(ct::shape_size_v<ct::shape<5>> == 5);
static_assert(ct::shape_size_v<ct::shape<4, 8>> == 32);
static_assert(ct::shape_size_v<ct::shape<33, 0>> == 0);
static_assert(ct::shape_size_v<ct::extents<int8_t, 100, 100>> == 10000);
static_assert(ct::shape_size_v<ct::shape<1ull << 32, 1u << 31>> == 1ull << 63);
static_assert(same<decltype(ct::shape_size_v<ct::shape<>>), decltype(sizeof(0)) const>);

// [2.1.3.5] [1.5.2] shape equivalence
static_assert(ct::same_shape<ct::extents<uint32_t, 4, 8>, ct::extents<uint64_t, 4, 8>>);
static_assert(ct::same_shape<ct::shape<>, ct::extents<int>>);
static_assert(!ct::same_shape<ct::shape<4, 8>, ct::shape<8, 4>>);
static_assert(!ct::same_shape<ct::shape<4>, ct::shape<4, 1>>);
static_assert(!ct::same_shape<mixed, mixed>);

// [2.1.3.2] [2.8.4] comparison, whatever the index type and whether lengths are static
static_assert(ct::extents_equal(ext<4, 8>{}, ct::extents<int16_t, 4, 8>{}));
static_assert(ct::extents_equal(ct::extents<int16_t, 4, 8>{}, ext<dyn, 8>{4})); // #constexpr-extents
static_assert(!ct::extents_equal(ext<4, 8>{}, ext<4>{}));
static_assert(!ct::extents_equal(ext<4, 8>{}, ext<8, 4>{}));
static_assert(ct::extents_equal(ext<>{}, ct::extents<int>{}));
static_assert(ext<4>{} == ct::extents<int, 4>{} && ext<4>{} != ext<5>{} && ext<4>{} != ext<4, 1>{});
static_assert(ext<dyn>{4} == ext<4>{} && ext<dyn>{4} != ext<dyn>{5}); // #constexpr-extents
static_assert(noexcept(ct::extents_equal(ext<4>{}, ext<4>{})) && noexcept(ext<4>{} == ext<4>{}));
static_assert(same<decltype(ext<4>{} == ext<4>{}), bool>);
