// [1.4] Scalars: the category of a type, and the values of integral scalars.
#pragma once

#include "cuda_tile/core/element_types.h"
#include "cuda_tile/core/traits.h"

namespace cuda::tiles::inline CUDA_TILE_ABI {
namespace detail {

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
// Compared as integers: for enumerations nvcc 13.0 considers the tiles' operators first, and their concepts
// depend on this variable.
template <typename T>
inline constexpr bool is_scalar_v = static_cast<int>(category_of<T>) != static_cast<int>(category::none);

/// Whether zero is a value of numeric scalar T.
template <typename T>
inline constexpr bool has_zero_v = true;
template <typename T>
  requires(is_floating_point_v<T>)
inline constexpr bool has_zero_v<T> = scalar_traits<remove_cv_t<T>>::has_zero;

// [1.4.1] properties of integral scalars

template <typename T>
inline constexpr bool is_signed_v = static_cast<T>(-1) < static_cast<T>(0);
template <>
inline constexpr bool is_signed_v<bool> = false;

template <typename T>
inline constexpr bool is_bool_v = is_same_v<remove_cv_t<T>, bool>;

/// Bits needed to encode the values of T: 1 for bool, 4 for fp4.
template <typename T>
inline constexpr int bitwidth_v = is_bool_v<T> ? 1 : static_cast<int>(sizeof(T) * 8);
template <typename T>
  requires(is_floating_point_v<T>)
inline constexpr int bitwidth_v<T> =
    scalar_traits<remove_cv_t<T>>::bits < 8 ? scalar_traits<remove_cv_t<T>>::bits
                                            : static_cast<int>(sizeof(T) * 8);
/// The bits of an element that element_bitcast compares; a bool uses all of its byte, and tf32, since 13.5,
/// less than it takes in memory.
template <typename T>
inline constexpr int memory_bitwidth_v =
    is_bool_v<T>                                                            ? 8
    : CUDA_TILE_API_VERSION >= 1305 && is_same_v<remove_cv_t<T>, __nv_tf32> ? scalar_traits<__nv_tf32>::bits
                                                                            : bitwidth_v<T>;

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
