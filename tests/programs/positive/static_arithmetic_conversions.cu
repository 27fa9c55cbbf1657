// [1.7.4] Arithmetic conversions [2.1.5.12] to [2.1.5.16].
#include "programs.h"

template <typename T, typename U>
concept arithmetic = ct::arithmetic_tile_convertible<T, U> && ct::arithmetic_tile_convertible<U, T>;
template <typename T, typename U>
concept comparable = ct::arithmetic_tile_comparable<T, U> && ct::arithmetic_tile_comparable<U, T>;
template <typename T, typename U>
concept either = ct::arithmetic_tile_convertible<T, U> || ct::arithmetic_tile_convertible<U, T> ||
                 ct::arithmetic_tile_comparable<T, U> || ct::arithmetic_tile_comparable<U, T>;

/// Whether T and U have the common type C, to which neither may narrow.
template <typename T, typename U, typename C>
constexpr bool common = false;
template <typename T, typename U, typename C>
  requires arithmetic<T, U> && comparable<T, U>
constexpr bool common<T, U, C> =
    same<ct::arithmetic_tile_conversion_t<T, U>, C> && same<ct::arithmetic_tile_conversion_t<U, T>, C> &&
    same<ct::arithmetic_tile_comparison_t<T, U>, C> && same<ct::arithmetic_tile_comparison_t<U, T>, C>;

// the common type of two scalars: no integral promotion
static_assert(common<int, double, double>);
static_assert(common<short, short, short>);
static_assert(common<bool, bool, bool>);
static_assert(common<signed char, signed char, signed char>);
static_assert(common<float, double, double>);
static_assert(common<bool, float, float>);
static_assert(common<long long, float, float>);
static_assert(common<bool, signed char, signed char>);
static_assert(common<bool, unsigned char, unsigned char>);
static_assert(common<signed char, short, short>);
static_assert(common<unsigned char, short, short>);
static_assert(common<unsigned char, unsigned short, unsigned short>);
static_assert(common<unsigned short, int, int>);
static_assert(common<unsigned, long long, long long>);
static_assert(common<unsigned, unsigned long, unsigned long>);
static_assert(common<int, long, long>);
static_assert(common<long, long long, long long>);
static_assert(common<unsigned long, unsigned long long, unsigned long long>);
static_assert(common<int const, long volatile, long>);
// signed to unsigned would narrow
static_assert(!either<int, unsigned>);
static_assert(!either<signed char, unsigned char>);
static_assert(!either<signed char, unsigned>);
static_assert(!either<long long, unsigned long long>);
static_assert(!either<short, unsigned long>);
static_assert(sizeof(long) == 8 ? !either<long long, unsigned long>
                                : common<long long, unsigned long, long long>);
static_assert(!either<long, unsigned long long>);

// character types: the subrank is below that of the underlying type
static_assert(common<char, char, char>);
static_assert(common<char8_t, char8_t, char8_t>);
static_assert(common<wchar_t, wchar_t, wchar_t>);
static_assert(common<char8_t, unsigned char, unsigned char>);
static_assert(common<char16_t, unsigned short, unsigned short>);
static_assert(common<char32_t, unsigned, unsigned>);
static_assert(common<char8_t, char16_t, char16_t>);
static_assert(common<char8_t, char32_t, char32_t>);
static_assert(common<char16_t, char32_t, char32_t>);
static_assert(common<char8_t, short, short>);
static_assert(common<char16_t, int, int>);
static_assert(common<char32_t, long long, long long>);
static_assert(common<bool, char, char>);
static_assert(common<bool, char8_t, char8_t>);
static_assert(common<char, short, short>);
static_assert(common<char, float, float>);
static_assert(common<wchar_t, double, double>);
static_assert(!either<char8_t, signed char>);
static_assert(!either<char16_t, short>);
static_assert(!either<char32_t, int>);
// Whether char is signed differs between machines.
template <bool IsSigned>
constexpr bool characters =
    common<char, signed char, signed char> && !either<char, unsigned char> && !either<char, char8_t>;
template <>
constexpr bool characters<false> = common<char, unsigned char, unsigned char> &&
                                   common<char, char8_t, char8_t> && !either<char, signed char>;
static_assert(characters<(char(-1) < 0)>);
// wchar_t: signed with 32 bits, unsigned with 32 bits, or unsigned with 16 bits
template <bool IsSigned, int Bytes>
constexpr bool wide_characters = common<wchar_t, int, int> && !either<wchar_t, unsigned> &&
                                 !either<wchar_t, char32_t> && common<char16_t, wchar_t, wchar_t>;
template <>
constexpr bool wide_characters<false, 4> =
    common<wchar_t, unsigned, unsigned> && !either<wchar_t, int> && !either<wchar_t, char32_t>;
template <>
constexpr bool wide_characters<false, 2> = common<wchar_t, unsigned short, unsigned short> &&
                                           !either<wchar_t, char16_t> && common<wchar_t, char32_t, char32_t>;
static_assert(wide_characters<(wchar_t(-1) < 0), int(sizeof(wchar_t))>);

// two tiles: common element, common shape
static_assert(common<tile<int, 4, 1>, tile<float, 1, 8>, tile<float, 4, 8>>);
static_assert(common<tile<int>, tile<float>, tile<float>>);
static_assert(common<tile<short, 2>, tile<char16_t, 1>, tile<int, 2>> == false); // no type has both
static_assert(common<tile<signed char, 2>, tile<short, 4, 1>, tile<short, 4, 2>>);
static_assert(common<tile<int, 2> const, tile<int, 2> volatile, tile<int, 2>>);
static_assert(!either<tile<int, 4>, tile<float, 2>>);
static_assert(!either<tile<int, 4>, tile<unsigned, 4>>);

// a tile and a scalar: arithmetic takes the tile's element, comparison the common type
template <typename S, typename T, typename Arithmetic, typename Comparison>
constexpr bool mixed = false;
template <typename S, typename T, typename Arithmetic, typename Comparison>
  requires arithmetic<S, T> && comparable<S, T>
constexpr bool mixed<S, T, Arithmetic, Comparison> =
    same<ct::arithmetic_tile_conversion_t<S, T>, Arithmetic> &&
    same<ct::arithmetic_tile_conversion_t<T, S>, Arithmetic> &&
    same<ct::arithmetic_tile_comparison_t<S, T>, Comparison> &&
    same<ct::arithmetic_tile_comparison_t<T, S>, Comparison>;
/// Comparison has a common type, arithmetic would narrow the scalar.
template <typename S, typename T, typename Comparison>
constexpr bool only_compares = false;
template <typename S, typename T, typename Comparison>
  requires comparable<S, T>
constexpr bool only_compares<S, T, Comparison> =
    !ct::arithmetic_tile_convertible<S, T> && !ct::arithmetic_tile_convertible<T, S> &&
    same<ct::arithmetic_tile_comparison_t<S, T>, Comparison>;

static_assert(mixed<int, tile<float, 8>, tile<float, 8>, tile<float, 8>>);
static_assert(mixed<short, tile<int, 8>, tile<int, 8>, tile<int, 8>>);
static_assert(mixed<bool, tile<signed char>, tile<signed char>, tile<signed char>>);
static_assert(mixed<float, tile<double, 4, 8>, tile<double, 4, 8>, tile<double, 4, 8>>);
static_assert(mixed<long long, tile<float, 2>, tile<float, 2>, tile<float, 2>>);
static_assert(only_compares<double, tile<int, 8>, tile<double, 8>>);
static_assert(only_compares<float, tile<int, 4, 8>, tile<float, 4, 8>>);
static_assert(only_compares<double, tile<float, 4>, tile<double, 4>>);
static_assert(only_compares<int, tile<signed char, 8>, tile<int, 8>>);
static_assert(only_compares<int, tile<bool, 8>, tile<int, 8>>);
static_assert(only_compares<double, tile<int>, tile<double>>); // also where the tile has rank 0
static_assert(!either<unsigned, tile<int, 4, 8>>);
static_assert(!either<int, tile<unsigned, 4, 8>>);

// not for pointers, nor for types that are not tile like
static_assert(!either<int*, int>);
static_assert(!either<tile<int*, 4>, tile<int, 4>>);
static_assert(!either<int, ct::shape<>>);
static_assert(!either<int&, int>);

// [2.1.5.16] promotion of elements keeps the kind of object
static_assert(same<ct::arithmetic_tile_promotion_t<bool>, int>);
static_assert(same<ct::arithmetic_tile_promotion_t<char>, int>);
static_assert(same<ct::arithmetic_tile_promotion_t<char8_t>, int>);
static_assert(same<ct::arithmetic_tile_promotion_t<char16_t>, int>);
static_assert(same<ct::arithmetic_tile_promotion_t<char32_t>, unsigned>);
static_assert(same<ct::arithmetic_tile_promotion_t<unsigned short>, int>);
static_assert(same<ct::arithmetic_tile_promotion_t<int const>, int>);
static_assert(same<ct::arithmetic_tile_promotion_t<unsigned>, unsigned>);
static_assert(same<ct::arithmetic_tile_promotion_t<long>, long>);
static_assert(same<ct::arithmetic_tile_promotion_t<float>, float>);
static_assert(same<ct::arithmetic_tile_promotion_t<wchar_t>, decltype(+wchar_t())>);
static_assert(same<ct::arithmetic_tile_promotion_t<tile<bool>>, tile<int>>);
static_assert(same<ct::arithmetic_tile_promotion_t<tile<short, 4, 2> const>, tile<int, 4, 2>>);
static_assert(same<ct::arithmetic_tile_promotion_t<tile<double, 4>>, tile<double, 4>>);
