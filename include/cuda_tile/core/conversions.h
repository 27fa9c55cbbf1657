// [1.7] Conversions between scalars: which exist, which narrow, and the arithmetic common type.
#pragma once

#include "cuda_tile/core/scalars.h"

namespace cuda::tiles::inline CUDA_TILE_ABI {
namespace detail {

// [1.7.1] floating point conversion ranks: a partial order

template <typename T>
CUDA_TILE_CONSTEXPR int floating_rank() {
  if constexpr (is_floating_point_v<T>)
    return scalar_traits<T>::rank;
  else
    return -1;
}
/// Whether U has the exponents of T.
template <typename T, typename U>
inline constexpr bool exponents_within =
    scalar_traits<T>::exponent_bits < scalar_traits<U>::exponent_bits ||
    (scalar_traits<T>::exponent_bits == scalar_traits<U>::exponent_bits &&
     scalar_traits<T>::has_numbers_last <= scalar_traits<U>::has_numbers_last);
/// Whether U has at least the rank of T. Types on one level, such as half and bfloat16, are unordered; so are
/// e8m0 and ue5m3 and types that lack their exponents, or that have a sign, which they lack.
template <typename T, typename U>
inline constexpr bool floating_rank_within =
    is_same_v<T, U> || (floating_rank<T>() < floating_rank<U>() && exponents_within<T, U> &&
                        scalar_traits<T>::has_sign <= scalar_traits<U>::has_sign);

/// Whether every value of integral scalar T is a value of U.
template <typename T, typename U>
inline constexpr bool represents_all =
    is_signed_v<T> ? is_signed_v<U> && bitwidth_v<U> >= bitwidth_v<T>
                   : bitwidth_v<U> - (is_signed_v<U> ? 1 : 0) >= bitwidth_v<T>;

// [1.7.2] scalar conversions, between cv-unqualified types

template <typename T, typename U>
CUDA_TILE_CONSTEXPR bool scalar_conversion_exists() {
  if constexpr (is_numeric_v<T> && is_numeric_v<U>)
    return true;
  else if constexpr (is_pointer_scalar_v<T>)
    return is_bool_v<U> || (is_pointer_scalar_v<U> && convertible_to<T, U>);
  else
    return false;
}

template <typename T, typename U>
CUDA_TILE_CONSTEXPR bool scalar_conversion_narrows() {
  if constexpr (is_same_v<T, U>)
    return false;
  else if constexpr (is_pointer_scalar_v<T>)
    return is_bool_v<U>;
  else if constexpr (is_floating_point_v<T> && is_floating_point_v<U>)
    return !floating_rank_within<T, U>;
  else if constexpr (is_integral_scalar_v<T> && is_integral_scalar_v<U>)
    return !represents_all<T, U>;
  else
    return true; // between floating point and integral
}

// [1.7.4] arithmetic common type

struct no_type {};

template <typename T>
struct type_is {
  using type = T;
};

template <typename T>
struct make_unsigned_scalar {
  using type = T;
};
template <>
struct make_unsigned_scalar<char> {
  using type = unsigned char;
};
template <>
struct make_unsigned_scalar<signed char> {
  using type = unsigned char;
};
template <>
struct make_unsigned_scalar<short> {
  using type = unsigned short;
};
template <>
struct make_unsigned_scalar<int> {
  using type = unsigned int;
};
template <>
struct make_unsigned_scalar<wchar_t> {
  using type = conditional_t<sizeof(wchar_t) == 4, unsigned int, unsigned short>;
};
template <>
struct make_unsigned_scalar<long> {
  using type = unsigned long;
};
template <>
struct make_unsigned_scalar<long long> {
  using type = unsigned long long;
};

template <typename T, typename U>
CUDA_TILE_CONSTEXPR auto common_floating() {
  if constexpr (!is_floating_point_v<U>)
    return type_is<T>{};
  else if constexpr (!is_floating_point_v<T>)
    return type_is<U>{};
  else if constexpr (floating_rank_within<T, U>)
    return type_is<U>{};
  else if constexpr (floating_rank_within<U, T>)
    return type_is<T>{};
  else
    return type_is<no_type>{};
}

/// S signed, U unsigned.
template <typename S, typename U>
CUDA_TILE_CONSTEXPR auto common_mixed_sign() {
  if constexpr (scalar_traits<U>::rank > scalar_traits<S>::rank)
    return type_is<U>{};
  else if constexpr (represents_all<U, S>)
    return type_is<S>{};
  else
    return type_is<typename make_unsigned_scalar<S>::type>{};
}

template <typename T, typename U>
CUDA_TILE_CONSTEXPR auto common_same_sign() {
  constexpr int rank = scalar_traits<T>::rank - scalar_traits<U>::rank;
  constexpr int subrank = scalar_traits<T>::subrank - scalar_traits<U>::subrank;
  if constexpr (rank > 0 || (rank == 0 && subrank > 0))
    return type_is<T>{};
  else if constexpr (rank < 0 || subrank < 0)
    return type_is<U>{};
  else
    return type_is<no_type>{};
}

template <typename T, typename U>
CUDA_TILE_CONSTEXPR auto common_arithmetic() {
  if constexpr (is_same_v<T, U>)
    return type_is<T>{};
  else if constexpr (is_floating_point_v<T> || is_floating_point_v<U>)
    return common_floating<T, U>();
  else if constexpr (is_signed_v<T> && !is_signed_v<U>)
    return common_mixed_sign<T, U>();
  else if constexpr (!is_signed_v<T> && is_signed_v<U>)
    return common_mixed_sign<U, T>();
  else
    return common_same_sign<T, U>();
}

/// The arithmetic common type of two arithmetic scalars, or no_type.
template <typename T, typename U>
using arithmetic_common_t = typename decltype(common_arithmetic<T, U>())::type;

/// [1.7.4] Whether an arithmetic conversion may convert an operand this way: it may not narrow, except from
/// integral to floating point.
template <typename From, typename To>
CUDA_TILE_CONSTEXPR bool arithmetic_operand_converts() {
  if constexpr (is_same_v<To, no_type>)
    return false;
  else
    return !scalar_conversion_narrows<From, To>() || (is_integral_scalar_v<From> && is_floating_point_v<To>);
}

/// Integral promotion of an element; other types are unchanged.
template <typename T>
CUDA_TILE_CONSTEXPR auto promoted() {
  if constexpr (is_integral_scalar_v<T>)
    return type_is<decltype(+declval<T>())>{};
  else
    return type_is<T>{};
}
template <typename T>
using promotion_t = typename decltype(promoted<T>())::type;

} // namespace detail
} // namespace cuda::tiles::inline CUDA_TILE_ABI
