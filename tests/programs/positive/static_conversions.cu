// [1.7] Conversions of element types, and which of them narrow [2.1.5].
#include "programs.h"

template <typename From, typename To>
constexpr bool converts = ct::scalar_convertible_to<From, To> && ct::tile_convertible_to<From, To> &&
                          ct::tile_convertible_to<tile<From, 4>, tile<To, 4>>;
template <typename From, typename To>
constexpr bool widens = converts<From, To> && ct::non_narrowing_scalar_convertible_to<From, To> &&
                        ct::non_narrowing_tile_convertible_to<From, To> &&
                        ct::non_narrowing_tile_convertible_to<tile<From, 4>, tile<To, 4>>;
template <typename From, typename To>
constexpr bool narrows = converts<From, To> && !ct::non_narrowing_scalar_convertible_to<From, To> &&
                         !ct::non_narrowing_tile_convertible_to<From, To> &&
                         !ct::non_narrowing_tile_convertible_to<tile<From, 4>, tile<To, 4>>;
template <typename From, typename To>
constexpr bool no_conversion = !ct::scalar_convertible_to<From, To> && !ct::tile_convertible_to<From, To> &&
                               !ct::non_narrowing_scalar_convertible_to<From, To>;

// [1.7.2] between integral types: narrowing unless the target has every value of the source
static_assert(widens<int, int>);
static_assert(widens<bool, char>);
static_assert(widens<bool, unsigned char>);
static_assert(widens<bool, long long>);
static_assert(narrows<int, bool>);
static_assert(narrows<unsigned char, bool>);
static_assert(widens<signed char, short>);
static_assert(widens<unsigned char, short>);
static_assert(widens<unsigned char, unsigned short>);
static_assert(narrows<unsigned char, signed char>);
static_assert(narrows<signed char, unsigned char>);
static_assert(narrows<signed char, unsigned long long>);
static_assert(widens<short, int>);
static_assert(narrows<short, unsigned>);
static_assert(widens<unsigned short, int>);
static_assert(narrows<int, short>);
static_assert(narrows<int, unsigned>);
static_assert(narrows<unsigned, int>);
static_assert(widens<int, long long>);
static_assert(widens<unsigned, long long>);
static_assert(narrows<long long, int>);
static_assert(narrows<unsigned long long, long long>);
static_assert(widens<long, long long>);
static_assert(widens<unsigned long, unsigned long long>);
static_assert(sizeof(long) == 8 ? widens<long long, long> : narrows<long long, long>);
static_assert(widens<char8_t, unsigned char> && widens<unsigned char, char8_t>);
static_assert(widens<char16_t, unsigned short> && widens<unsigned short, char16_t>);
static_assert(widens<char32_t, unsigned> && widens<unsigned, char32_t>);
static_assert(char(-1) < 0 ? widens<char, signed char> && narrows<char, unsigned char>
                           : narrows<char, signed char> && widens<char, unsigned char>);

// between floating point types: narrowing unless the target has at least the same rank
static_assert(widens<float, double>);
static_assert(widens<float, float>);
static_assert(narrows<double, float>);

// between integral and floating point types: always narrowing
static_assert(narrows<int, float>);
static_assert(narrows<int, double>);
static_assert(narrows<bool, float>);
static_assert(narrows<signed char, double>);
static_assert(narrows<float, int>);
static_assert(narrows<double, long long>);
static_assert(narrows<float, bool>);

// pointers: qualification and void as in C++, and bool, which narrows
static_assert(widens<int*, int*>);
static_assert(widens<int*, int const*>);
static_assert(widens<int*, int volatile*>);
static_assert(widens<int*, void*>);
static_assert(widens<int const*, void const*>);
static_assert(narrows<int*, bool>);
static_assert(narrows<void const*, bool>);
static_assert(no_conversion<int const*, int*>);
static_assert(no_conversion<int const*, void*>);
static_assert(no_conversion<void*, int*>);
static_assert(no_conversion<int*, unsigned*>);
static_assert(no_conversion<int*, int>);
static_assert(no_conversion<int*, double>);
static_assert(no_conversion<int, int*>);
static_assert(no_conversion<bool, int*>);
static_assert(no_conversion<decltype(nullptr), int*>);

// qualification of the types themselves does not matter; types that are not scalars do not convert
static_assert(ct::scalar_convertible_to<int const, float volatile>);
static_assert(ct::non_narrowing_scalar_convertible_to<int const, long volatile>);
static_assert(!ct::scalar_convertible_to<tile<int>, int>);
static_assert(!ct::scalar_convertible_to<int, tile<int>>);
static_assert(!ct::scalar_convertible_to<int&, int>);
static_assert(!ct::scalar_convertible_to<void, int> && !ct::scalar_convertible_to<int, void>);

// [1.7.2] tile conversions: of equivalent shapes
static_assert(ct::tile_convertible_to<int, tile<int>>);
static_assert(ct::tile_convertible_to<tile<int>, int>);
static_assert(!ct::tile_convertible_to<int, tile<int, 1>>);
static_assert(!ct::tile_convertible_to<tile<int, 1>, int>);
static_assert(!ct::tile_convertible_to<tile<int, 1>, tile<int, 1, 1>>);
static_assert(!ct::tile_convertible_to<tile<int, 4>, tile<int, 2>>);
static_assert(ct::non_narrowing_tile_convertible_to<tile<int, 4> const, tile<long, 4> volatile>);
static_assert(ct::non_narrowing_tile_convertible_to<float, tile<double>>);
static_assert(!ct::non_narrowing_tile_convertible_to<double, tile<float>>);
static_assert(!ct::tile_convertible_to<ct::shape<4>, tile<int, 4>>);

// [1.7.2] [2.1.5.5] every tile like type converts to bool
static_assert(ct::bool_tile_convertible<bool>);
static_assert(ct::bool_tile_convertible<int const>);
static_assert(ct::bool_tile_convertible<double>);
static_assert(ct::bool_tile_convertible<int*>);
static_assert(ct::bool_tile_convertible<void const*>);
static_assert(ct::bool_tile_convertible<tile<float, 2, 2>>);
static_assert(ct::bool_tile_convertible<tile<int*, 2, 2> const>);
static_assert(!ct::bool_tile_convertible<decltype(nullptr)>);
static_assert(!ct::bool_tile_convertible<ct::shape<>>);

// [2.1.5.2] [2.1.5.4] the concepts of conversions without narrowing subsume the wider ones
template <typename T, ct::tile_convertible_to<T> U>
__tile__ char pick(T*, U*);
template <typename T, ct::non_narrowing_tile_convertible_to<T> U>
__tile__ int pick(T*, U*);
static_assert(same<decltype(pick(any<double*>(), any<float*>())), int>);
static_assert(same<decltype(pick(any<float*>(), any<double*>())), char>);
