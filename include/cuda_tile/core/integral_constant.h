// [2.13.1] integral_constant, its operators and literals, [2.13.2] dimension_map.
#pragma once

#include "cuda_tile/core/scalars.h"
#include "cuda_tile/core/violation.h"

namespace cuda::tiles::inline CUDA_TILE_ABI {
namespace detail {

/// Base of integral_constant by value alone. It lets `shape{4_ic, 8_ic}` deduce lengths where the compiler
/// cannot apply the deduction guide of extents to its alias shape (g++ 12).
template <size_t Value>
struct constant_value {};

} // namespace detail

/// [2.13.1] A compile-time integer as an argument.
template <integral auto V>
struct integral_constant : detail::constant_value<static_cast<size_t>(V)> {
  using type = integral_constant;
  using value_type = decltype(V);
  static constexpr value_type value = V;
  CUDA_TILE_CONSTEXPR operator value_type() const noexcept { return V; }
  CUDA_TILE_CONSTEXPR value_type operator()() const noexcept { return V; }
};

// [2.13.1.1] overloaded operators

// An expression without a value, such as 6_ic / 0_ic, is an error inside the operator; overload resolution
// does not try another.
#define CUDA_TILE_CONSTANT_OPERATOR(op)                                                                      \
  template <auto x, auto y>                                                                                  \
  CUDA_TILE_CONSTEXPR auto operator op(integral_constant<x>, integral_constant<y>) noexcept {                \
    return integral_constant<(x op y)>{};                                                                    \
  }
CUDA_TILE_CONSTANT_OPERATOR(+)
CUDA_TILE_CONSTANT_OPERATOR(*)
CUDA_TILE_CONSTANT_OPERATOR(-)
CUDA_TILE_CONSTANT_OPERATOR(/)
CUDA_TILE_CONSTANT_OPERATOR(%)
CUDA_TILE_CONSTANT_OPERATOR(&)
CUDA_TILE_CONSTANT_OPERATOR(|)
CUDA_TILE_CONSTANT_OPERATOR(^)
CUDA_TILE_CONSTANT_OPERATOR(<<)
CUDA_TILE_CONSTANT_OPERATOR(>>)
#undef CUDA_TILE_CONSTANT_OPERATOR

#define CUDA_TILE_CONSTANT_OPERATOR(op)                                                                      \
  template <auto x>                                                                                          \
  CUDA_TILE_CONSTEXPR integral_constant<(op x)> operator op(integral_constant<x>) noexcept {                 \
    return {};                                                                                               \
  }
CUDA_TILE_CONSTANT_OPERATOR(~)
CUDA_TILE_CONSTANT_OPERATOR(+)
CUDA_TILE_CONSTANT_OPERATOR(-)
#undef CUDA_TILE_CONSTANT_OPERATOR

namespace detail {

template <typename T>
inline constexpr bool is_integral_constant_v = false;
template <integral auto V>
inline constexpr bool is_integral_constant_v<integral_constant<V>> = true;

/// The value of a literal's characters, and whether they form a decimal number that fits in long long, its
/// largest type.
struct parsed_literal {
  bool decimal = true;
  bool fits = true;
  unsigned long long value = 0;
};

template <char First, char... Rest>
CUDA_TILE_CONSTEXPR parsed_literal parse_literal() {
  parsed_literal result;
  constexpr char text[] = {First, Rest...};
  for (char c : text) {
    if (c == '\'')
      continue;
    if (c < '0' || c > '9')
      result.decimal = false;
    unsigned long long digit = static_cast<unsigned long long>(c - '0');
    if (result.value > (0x7fffffffffffffffULL - digit) / 10)
      result.fits = false;
    result.value = result.value * 10 + digit;
  }
  if (First == '0' && sizeof...(Rest) != 0)
    result.decimal = false; // octal
  return result;
}

} // namespace detail

namespace literals {

/// [2.13.1.2] `22_ic` is an integral_constant with the value and type of `22`.
template <char... Chars>
CUDA_TILE_CONSTEXPR auto operator""_ic() noexcept {
  constexpr detail::parsed_literal literal = detail::parse_literal<Chars...>();
  static_assert(literal.decimal, "_ic takes only decimal integer literals [2.13.1.2]");
  static_assert(literal.fits, "the literal does not fit long long [2.13.1.2]");
  constexpr unsigned long long value = literal.value;
  if constexpr (value <= 0x7fffffffULL)
    return integral_constant<static_cast<int>(value)>{};
  else if constexpr (sizeof(long) == 8)
    return integral_constant<static_cast<long>(value)>{};
  else
    return integral_constant<static_cast<long long>(value)>{};
}

} // namespace literals

namespace detail {

/// Whether each of 0 … sizeof...(Idx) - 1 occurs.
template <size_t... Idx>
CUDA_TILE_CONSTEXPR bool is_permutation() {
  auto contains = [](size_t value) { return ((Idx == value) || ...); };
  for (size_t i = 0; i != sizeof...(Idx); ++i)
    if (!contains(i))
      return false;
  return true;
}

/// Element i of a pack; 0 beyond its end.
template <typename T, T... Values>
CUDA_TILE_CONSTEXPR T pack_element([[maybe_unused]] size_t i) {
  T result = 0;
  [[maybe_unused]] size_t k = 0;
  ((result = k++ == i ? Values : result), ...);
  return result;
}

} // namespace detail

/// [2.13.2] A permutation: dimension k of the target is dimension Idx[k] of the source.
template <size_t... Idx>
  requires(detail::is_permutation<Idx...>())
struct dimension_map {
  constexpr dimension_map() noexcept = default;
  template <typename... Ts>
    requires(sizeof...(Ts) > 0 && sizeof...(Ts) == sizeof...(Idx))
  __host__ __device__ explicit constexpr dimension_map(Ts...) noexcept {}

  __host__ __device__ static constexpr size_t rank() noexcept { return sizeof...(Idx); }
  __host__ __device__ static constexpr size_t mapping(size_t i) noexcept {
    checks::require<cuda_tile_dimension_map_index>(checks::is_index(i, rank()), "dimension_map::mapping", i,
                                                   rank());
    return detail::pack_element<size_t, Idx...>(i);
  }
};

template <auto... Vs>
  requires requires { (size_t(Vs) + ... + size_t(0)); }
dimension_map(integral_constant<Vs>...) -> dimension_map<size_t(Vs)...>;

namespace detail {

template <typename T>
inline constexpr bool is_dimension_map_v = false;
template <size_t... Idx>
inline constexpr bool is_dimension_map_v<dimension_map<Idx...>> = true;

} // namespace detail
} // namespace cuda::tiles::inline CUDA_TILE_ABI
