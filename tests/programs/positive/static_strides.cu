// [2.8] strides and offsets, and layout mappings that take strides. Since 13.4.
#include "programs.h"

constexpr auto dyn = ct::dynamic_stride;
static_assert(dyn == static_cast<size_t>(-1) && dyn == size_t(ct::dynamic_extent));
template <auto... Values>
using strides = ct::strides<int, Values...>;

// concepts: cv-qualified types model them, references do not
static_assert(ct::strides_like<strides<1, dyn>> && ct::strides_like<ct::strides<uint64_t>>);
static_assert(!ct::strides_like<strides<1>&> && !ct::strides_like<int>);
static_assert(ct::strides_like<strides<1> const> && ct::strides_like<strides<1> volatile> &&
              !ct::strides_like<strides<1> const&>);
static_assert(ct::offsets_like<ct::offsets<int, 1> const> && !ct::offsets_like<ct::offsets<int, 1>&>);
static_assert(!ct::strides_like<ct::strides<bool, 1>>);
static_assert(!ct::strides_like<ct::extents<int, 1>> && !ct::extents_like<strides<1>>);
static_assert(ct::offsets_like<ct::offsets<int, 1>> && !ct::offsets_like<strides<1>> &&
              !ct::strides_like<ct::offsets<int, 1>>);

// members
static_assert(same<strides<1, dyn>::stride_type, int> && same<strides<1, dyn>::rank_type, size_t>);
static_assert(strides<1, dyn, 3>::rank() == 3 && strides<1, dyn, 3>::rank_dynamic() == 1);
static_assert(strides<1, dyn, 3>::static_stride(2) == 3 && strides<1, dyn>::static_stride(1) == dyn);
static_assert(same<decltype(strides<1>::static_stride(0)), size_t> &&
              same<decltype(strides<1>().stride(0)), int>);
static_assert(__is_trivially_copyable(strides<1, dyn>) && sizeof(strides<1, dyn, dyn>) == 2 * sizeof(int));
static_assert(noexcept(strides<1>::rank()) && noexcept(strides<1>().stride(0)));

// constructors
static_assert(strides<1, dyn>().stride(1) == 0 && strides<1, dyn>().stride(0) == 1);
static_assert(strides<2, dyn>(7).stride(1) == 7 &&
              strides<2, dyn>(2, 7).stride(1) == 7); // #constexpr-extents
static_assert(!constructible<strides<2, dyn>, int, int, int> && !constructible<strides<2, dyn>, int*>);
static_assert(!implicit<int, strides<dyn>> && constructible<strides<dyn>, float>);

// deduction
static_assert(same<decltype(ct::strides{4_ic, 1}), ct::strides<uint32_t, 4, dyn>>);
static_assert(same<decltype(ct::strides{}), ct::strides<uint32_t>>);
static_assert(ct::strides{-1, 1}.stride(0) == 4294967295); // #constexpr-extents
static_assert(same<decltype(ct::strides{ct::integral_constant<-1>{}}), ct::strides<uint32_t, dyn>>);
static_assert(ct::strides{ct::integral_constant<-1>{}}.stride(0) == 4294967295); // #constexpr-extents

// comparison [2.8]
static_assert(ct::strides_equal(strides<1, 2>(), ct::strides{1, 2}) &&
              strides<1, 2>() == ct::strides{1, 2}); // #constexpr-extents
static_assert(strides<1, 2>() != strides<1, 3>() && !ct::strides_equal(strides<1>(), strides<1, 1>()));
template <typename T, typename U>
concept equal = requires(T x, U y) { x == y; };
static_assert(!equal<strides<1>, ct::extents<int, 1>> && !equal<strides<1>, ct::offsets<int, 1>>);

// offsets
template <auto... Values>
using offsets = ct::offsets<int, Values...>;
constexpr auto anywhere = ct::dynamic_offset;
static_assert(static_cast<long long>(anywhere) == -9223372036854775807 - 1);
static_assert(same<offsets<1>::offset_type, int> && same<offsets<1>::rank_type, size_t>);
static_assert(offsets<-1, anywhere>::rank() == 2 && offsets<-1, anywhere>::rank_dynamic() == 1);
static_assert(offsets<-1, anywhere>::static_offset(0) == -1 &&
              offsets<-1, anywhere>::static_offset(1) == anywhere);
static_assert(offsets<-1, anywhere>(-5).offset(1) == -5 &&
              offsets<-1, anywhere>(-1, 4).offset(0) == -1); // #constexpr-extents
static_assert(offsets<-1, anywhere>().offset(1) == 0);
static_assert(same<decltype(ct::offsets{3, -1_ic}), ct::offsets<int32_t, ct::dynamic_offset, -1>>);
static_assert(ct::offsets_equal(offsets<-1>(), ct::offsets{-1}) &&
              offsets<-1>() == ct::offsets{-1}); // #constexpr-extents
static_assert(offsets<-1>() != offsets<1>() && !ct::offsets_equal(offsets<>(), offsets<0>()));

// layouts [2.10.9]
using extents = ct::extents<int, 2, 4>;
using mapping = ct::layout_strided_mapping<extents, strides<dyn, 2>>;
static_assert(ct::layout_mapping<mapping> &&
              same<mapping, ct::layout_strided<strides<dyn, 2>>::mapping<extents>>);
static_assert(same<decltype(ct::layout_strided_mapping{any<extents>(), any<strides<dyn, 2>>()}), mapping>);
static_assert(mapping::static_stride(0) == dyn && mapping::static_stride(1) == 2);
static_assert(same<decltype(any<mapping>().stride(0)), int>);
static_assert(ct::layout_mapping<ct::layout_strided_mapping<extents, ct::extents<int, 9, 2>>>);
template <typename E, typename S>
concept maps = requires { typename ct::layout_strided_mapping<E, S>; };
static_assert(maps<extents, strides<9, 2>> && !maps<extents, ct::strides<unsigned, 9, 2>>);
static_assert(!maps<extents, strides<9>> && !maps<extents, offsets<9, 2>>);
