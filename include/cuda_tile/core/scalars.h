// [1.4] Scalars: which types are scalars, of which category, and what their values are.
#pragma once

#include "cuda_tile/core/traits.h"

// NVIDIA's small floating point types, defined by cuda_fp16.h and its sisters where a kernel includes them.
struct __half;
struct __nv_bfloat16;
struct __nv_fp8_e4m3;
struct __nv_fp8_e5m2;
struct __nv_fp8_e8m0;
struct __nv_fp4_e2m1;
struct __nv_tf32;

namespace cuda::tiles::inline CUDA_TILE_ABI {
namespace detail {

enum class category : unsigned char {
  none,
  integral,
  basic_floating_point,
  restricted_floating_point,
  pointer
};

/// Category, and for integral types conversion rank and subrank [1.7.4]; cv-unqualified types only.
template <typename T>
struct scalar_traits {
  static constexpr category kind = category::none;
};

template <int Rank, int Subrank = 2>
struct integral_traits {
  static constexpr category kind = category::integral;
  static constexpr int rank = Rank;
  static constexpr int subrank = Subrank;
};
template <>
struct scalar_traits<bool> : integral_traits<0> {};
template <>
struct scalar_traits<char> : integral_traits<1, 0> {};
template <>
struct scalar_traits<signed char> : integral_traits<1> {};
template <>
struct scalar_traits<unsigned char> : integral_traits<1> {};
template <>
struct scalar_traits<char8_t> : integral_traits<1, 1> {};
template <>
struct scalar_traits<short> : integral_traits<2> {};
template <>
struct scalar_traits<unsigned short> : integral_traits<2> {};
template <>
struct scalar_traits<char16_t> : integral_traits<2, 1> {};
template <>
struct scalar_traits<int> : integral_traits<3> {};
template <>
struct scalar_traits<unsigned int> : integral_traits<3> {};
template <>
struct scalar_traits<char32_t> : integral_traits<3, 1> {};
template <>
struct scalar_traits<wchar_t> : integral_traits<sizeof(wchar_t) == 2 ? 2 : 3, 1> {};
template <>
struct scalar_traits<long> : integral_traits<4> {};
template <>
struct scalar_traits<unsigned long> : integral_traits<4> {};
template <>
struct scalar_traits<long long> : integral_traits<5> {};
template <>
struct scalar_traits<unsigned long long> : integral_traits<5> {};

/// Floating point formats: total bits, stored mantissa bits, exponent bits.
template <category Kind, int Bits, int Mantissa, int Exponent>
struct floating_traits {
  static constexpr category kind = Kind;
  static constexpr int bits = Bits;
  static constexpr int mantissa_bits = Mantissa;
  static constexpr int exponent_bits = Exponent;
};
template <>
struct scalar_traits<double> : floating_traits<category::basic_floating_point, 64, 52, 11> {};
template <>
struct scalar_traits<float> : floating_traits<category::basic_floating_point, 32, 23, 8> {};
template <>
struct scalar_traits<__half> : floating_traits<category::basic_floating_point, 16, 10, 5> {};
template <>
struct scalar_traits<__nv_bfloat16> : floating_traits<category::basic_floating_point, 16, 7, 8> {};
template <>
struct scalar_traits<__nv_tf32> : floating_traits<category::restricted_floating_point, 32, 10, 8> {};
template <>
struct scalar_traits<__nv_fp8_e4m3> : floating_traits<category::restricted_floating_point, 8, 3, 4> {};
template <>
struct scalar_traits<__nv_fp8_e5m2> : floating_traits<category::restricted_floating_point, 8, 2, 5> {};
// Since 13.4; e8m0 has neither sign nor zero.
template <>
struct scalar_traits<__nv_fp8_e8m0> : floating_traits<category::restricted_floating_point, 8, 0, 8> {};
template <>
struct scalar_traits<__nv_fp4_e2m1> : floating_traits<category::restricted_floating_point, 4, 1, 2> {};

template <typename T>
inline constexpr category pointee_category = scalar_traits<remove_cv_t<T>>::kind;

/// [1.4] Pointer scalars point to numeric scalars or to void.
template <typename T>
struct scalar_traits<T*> {
  static constexpr category kind =
      is_same_v<remove_cv_t<T>, void> ||
              (pointee_category<T> != category::none && pointee_category<T> != category::pointer)
          ? category::pointer
          : category::none;
};

template <typename T>
inline constexpr category category_of = scalar_traits<remove_cv_t<T>>::kind;

template <typename T>
inline constexpr bool is_integral_scalar_v = category_of<T> == category::integral;
template <typename T>
inline constexpr bool is_basic_floating_point_v = category_of<T> == category::basic_floating_point;
template <typename T>
inline constexpr bool is_restricted_floating_point_v = category_of<T> == category::restricted_floating_point;
template <typename T>
inline constexpr bool is_floating_point_v = is_basic_floating_point_v<T> || is_restricted_floating_point_v<T>;
template <typename T>
inline constexpr bool is_arithmetic_v = is_integral_scalar_v<T> || is_basic_floating_point_v<T>;
template <typename T>
inline constexpr bool is_numeric_v = is_integral_scalar_v<T> || is_floating_point_v<T>;
template <typename T>
inline constexpr bool is_pointer_scalar_v = category_of<T> == category::pointer;
// Compared as an integer: for enumerations nvcc 13.0 asks the tiles' operators first, whose concepts ask
// this.
template <typename T>
inline constexpr bool is_scalar_v = static_cast<int>(category_of<T>) != static_cast<int>(category::none);

// [1.4.1] properties of integral scalars

template <typename T>
inline constexpr bool is_signed_v = static_cast<T>(-1) < static_cast<T>(0);
template <>
inline constexpr bool is_signed_v<bool> = false;

template <typename T>
inline constexpr bool is_bool_v = is_same_v<remove_cv_t<T>, bool>;

/// Bits needed to encode the values of T: 1 for bool.
template <typename T>
inline constexpr int bitwidth_v = is_bool_v<T> ? 1 : static_cast<int>(sizeof(T) * 8);
template <>
inline constexpr int bitwidth_v<__nv_fp4_e2m1> = 4;

template <size_t Bytes>
struct unsigned_of_size;
template <>
struct unsigned_of_size<1> {
  using type = unsigned char;
};
template <>
struct unsigned_of_size<2> {
  using type = unsigned short;
};
template <>
struct unsigned_of_size<4> {
  using type = unsigned int;
};
template <>
struct unsigned_of_size<8> {
  using type = unsigned long long;
};
/// The unsigned type as wide as T.
template <typename T>
using bits_t = typename unsigned_of_size<sizeof(T)>::type;

template <typename T>
inline constexpr T least_v = is_signed_v<T> ? static_cast<T>(bits_t<T>(1) << (bitwidth_v<T> - 1)) : T(0);
template <typename T>
inline constexpr T greatest_v =
    is_bool_v<T> ? T(1) : static_cast<T>(static_cast<bits_t<T>>(~bits_t<T>(0)) >> (is_signed_v<T> ? 1 : 0));

} // namespace detail

/// [2.1.2.1] Possibly cv-qualified integral types, __int128 included where the compiler counts it as one.
template <typename T>
concept integral = detail::is_integral_scalar_v<T>;

} // namespace cuda::tiles::inline CUDA_TILE_ABI
