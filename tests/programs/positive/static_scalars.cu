// [1.4] Which types are scalars, and of which category [2.1.2].
#include "programs.h"

// An integral scalar meets the concepts of integral, arithmetic and numeric tiles and scalars, and no other.
template <typename T>
constexpr bool is_integral =
    ct::tile_like<T> && ct::scalar<T> && ct::integral<T> && ct::integral_tile<T> && ct::integral_scalar<T> &&
    ct::arithmetic_tile<T> && ct::arithmetic_scalar<T> && ct::numeric_tile<T> && ct::numeric_scalar<T> &&
    !ct::floating_point_tile<T> && !ct::floating_point_scalar<T> && !ct::basic_floating_point_tile<T> &&
    !ct::basic_floating_point_scalar<T> && !ct::restricted_floating_point_tile<T> &&
    !ct::restricted_floating_point_scalar<T> && !ct::pointer_tile<T> && !ct::pointer_scalar<T>;
template <typename T>
constexpr bool is_basic_floating_point =
    ct::tile_like<T> && ct::scalar<T> && !ct::integral<T> && !ct::integral_tile<T> &&
    !ct::integral_scalar<T> && ct::arithmetic_tile<T> && ct::arithmetic_scalar<T> && ct::numeric_tile<T> &&
    ct::numeric_scalar<T> && ct::floating_point_tile<T> && ct::floating_point_scalar<T> &&
    ct::basic_floating_point_tile<T> && ct::basic_floating_point_scalar<T> &&
    !ct::restricted_floating_point_tile<T> && !ct::restricted_floating_point_scalar<T> &&
    !ct::pointer_tile<T> && !ct::pointer_scalar<T>;
template <typename T>
constexpr bool is_pointer =
    ct::tile_like<T> && ct::scalar<T> && ct::pointer_tile<T> && ct::pointer_scalar<T> && !ct::integral<T> &&
    !ct::integral_tile<T> && !ct::integral_scalar<T> && !ct::arithmetic_tile<T> &&
    !ct::arithmetic_scalar<T> && !ct::numeric_tile<T> && !ct::numeric_scalar<T> &&
    !ct::floating_point_tile<T> && !ct::floating_point_scalar<T> && !ct::basic_floating_point_tile<T> &&
    !ct::basic_floating_point_scalar<T> && !ct::restricted_floating_point_tile<T> &&
    !ct::restricted_floating_point_scalar<T>;
template <typename T>
constexpr bool is_none = !ct::tile_like<T> && !ct::scalar<T> && !ct::numeric_tile<T> &&
                         !ct::numeric_scalar<T> && !ct::pointer_tile<T> && !ct::pointer_scalar<T>;

// [1.4] integral scalars: integral types of 8, 16, 32 or 64 bits
static_assert(is_integral<bool>);
static_assert(is_integral<char>);
static_assert(is_integral<signed char>);
static_assert(is_integral<unsigned char>);
static_assert(is_integral<char8_t>);
static_assert(is_integral<char16_t>);
static_assert(is_integral<char32_t>);
static_assert(is_integral<wchar_t>);
static_assert(is_integral<short>);
static_assert(is_integral<unsigned short>);
static_assert(is_integral<int>);
static_assert(is_integral<unsigned int>);
static_assert(is_integral<long>);
static_assert(is_integral<unsigned long>);
static_assert(is_integral<long long>);
static_assert(is_integral<unsigned long long>);
static_assert(is_integral<int const>);
static_assert(is_integral<int volatile>);
static_assert(is_integral<int const volatile>);
#if defined(__SIZEOF_INT128__)
static_assert(!ct::integral_scalar<__int128>); // more than 64 bits
#endif

// enumerations are not integral
enum class scoped : unsigned char {};
enum unscoped : int {};
static_assert(is_none<scoped>);
static_assert(is_none<unscoped>);
static_assert(!ct::integral<scoped>);
static_assert(!ct::integral<unscoped>);

// [1.4] basic floating point scalars; half and bfloat16 are in static_small_floats.cu
static_assert(is_basic_floating_point<float>);
static_assert(is_basic_floating_point<double>);
static_assert(is_basic_floating_point<float const>);
static_assert(is_basic_floating_point<double volatile>);

// [1.4] pointer scalars: to numeric scalars and to void, themselves const or volatile or not
struct object {
  int member;
};
static_assert(is_pointer<int*>);
static_assert(is_pointer<int* const>);
static_assert(is_pointer<int* const volatile>);
static_assert(is_pointer<double const*>);
static_assert(is_pointer<float volatile const*>);
static_assert(is_pointer<bool*>);
static_assert(is_pointer<char16_t*>);
static_assert(is_pointer<void*>);
static_assert(is_pointer<void const*>);
static_assert(is_pointer<void volatile*>);
static_assert(is_none<int**>);
static_assert(is_none<int const* const*>);
static_assert(is_none<int object::*>);
static_assert(is_none<void (*)(int, double)>);
static_assert(is_none<object*>);
static_assert(is_none<object const*>);
static_assert(is_none<int (*)[4]>);
static_assert(is_none<scoped*>);

// everything else
static_assert(is_none<void>);
static_assert(is_none<object>);
static_assert(is_none<decltype(nullptr)>);
static_assert(is_none<int&>);
static_assert(is_none<int const&>);
static_assert(is_none<int[4]>);
static_assert(is_none<void(int)>);

// [2.1.2.1] integral takes cv-qualified types, too
static_assert(ct::integral<bool> && ct::integral<char8_t> && ct::integral<long const volatile>);
static_assert(!ct::integral<float> && !ct::integral<int*> && !ct::integral<int&> && !ct::integral<void>);

// The notes of [2.1.2.13] to [2.1.2.17] on which concept subsumes which: the more constrained overload is
// taken.
template <ct::numeric_tile T>
__tile__ char is_arithmetic_scalar(T*);
template <ct::arithmetic_scalar T>
__tile__ int is_arithmetic_scalar(T*);
static_assert(same<decltype(is_arithmetic_scalar(any<int*>())), int>); // [2.1.2.13]
static_assert(same<decltype(is_arithmetic_scalar(any<tile<int>*>())), char>);

template <ct::numeric_scalar T>
__tile__ char among_numeric_scalars(T*);
template <ct::arithmetic_scalar T>
__tile__ short among_numeric_scalars(T*);
template <ct::integral_scalar T>
__tile__ int among_numeric_scalars(T*);
static_assert(same<decltype(among_numeric_scalars(any<int*>())), int>);     // [2.1.2.17]
static_assert(same<decltype(among_numeric_scalars(any<float*>())), short>); // [2.1.2.13]

template <ct::numeric_tile T>
__tile__ char among_floats(T*);
template <ct::floating_point_tile T>
__tile__ short among_floats(T*);
template <ct::basic_floating_point_scalar T>
__tile__ int among_floats(T*);
static_assert(same<decltype(among_floats(any<float*>())), int>);            // [2.1.2.15]
static_assert(same<decltype(among_floats(any<tile<float, 2>*>())), short>); // [2.1.2.6]
static_assert(same<decltype(among_floats(any<int*>())), char>);

template <ct::floating_point_scalar T>
__tile__ char among_scalars(T*);
template <ct::arithmetic_scalar T>
__tile__ short among_scalars(T*);
template <ct::basic_floating_point_scalar T>
__tile__ int among_scalars(T*);
static_assert(same<decltype(among_scalars(any<float*>())), int>); // [2.1.2.15]: subsumes both
static_assert(same<decltype(among_scalars(any<int*>())), short>);

template <ct::tile_like T>
__tile__ char among_tile_like(T*);
template <ct::pointer_tile T>
__tile__ short among_tile_like(T*);
template <ct::pointer_scalar T>
__tile__ int among_tile_like(T*);
static_assert(same<decltype(among_tile_like(any<float*>())), char>);
static_assert(same<decltype(among_tile_like(any<tile<float*, 2>*>())), short>); // [2.1.2.3]
