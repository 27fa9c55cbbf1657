// An element as text, the same on all targets: integers and bool in full, floating point values with enough
// digits to tell them apart in most cases, pointers as addresses.
#pragma once

#include "cuda_tile/core/convert.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

struct short_text {
  char at[40];
  unsigned length = 0;

  __device__ void add(char c) { at[length++] = c; }
  __device__ void add(char const* text) {
    for (; *text != 0; ++text)
      add(*text);
  }
};

/// In base 10 or 16, with at least `least` digits.
__device__ inline void add_number(short_text& text, unsigned long long x, unsigned base, unsigned least = 1) {
  char digits[20];
  unsigned count = 0;
  for (; x != 0 || count < least; x /= base)
    digits[count++] = "0123456789abcdef"[x % base];
  while (count != 0)
    text.add(digits[--count]);
}

__device__ inline double power_of_ten(int n) {
  double power = 1; // exact up to 10^22
  for (; n > 0; --n)
    power *= 10;
  return power;
}

/// x * 10^n, rounded once where n is at most 22.
__device__ inline double scale_by_ten(double x, int n) {
  for (; n > 22; n -= 22)
    x *= 1e22;
  for (; n < -22; n += 22)
    x /= 1e22;
  return n < 0 ? x / power_of_ten(-n) : x * power_of_ten(n);
}

__device__ inline unsigned long long round_to_even(double x) {
  auto const whole = static_cast<unsigned long long>(x);
  double const rest = x - static_cast<double>(whole);
  return whole + (rest > 0.5 || (rest == 0.5 && whole % 2 != 0));
}

/// digits * 10^(exponent - count + 1), where `digits` has `count` digits.
struct decimal {
  unsigned long long digits;
  int exponent;
};

/// For a finite x > 0. The last digit may be off by one if x is within 2^-26 of the midpoint between two
/// results.
__device__ inline decimal decimal_of(double x, int count) {
  int exponent = 0;
  for (double y = x; y >= 10; y /= 10)
    ++exponent;
  for (double y = x; y < 1; y *= 10)
    --exponent;
  double const least = power_of_ten(count - 1);
  for (;;) {
    auto const digits = round_to_even(scale_by_ten(x, count - 1 - exponent));
    if (static_cast<double>(digits) < least)
      --exponent;
    else if (static_cast<double>(digits) >= 10 * least)
      ++exponent;
    else
      return {digits, exponent};
  }
}

/// As %.<count>g prints it.
__device__ inline void add_finite(short_text& text, double x, int count) {
  decimal number = decimal_of(x, count);
  bool const is_scientific = number.exponent < -4 || number.exponent >= count;
  for (; count > 1 && number.digits % 10 == 0; --count)
    number.digits /= 10;
  int const exponent = number.exponent;
  int const before_point = is_scientific ? 1 : exponent + 1;
  if (before_point <= 0)
    text.add("0.");
  for (int i = before_point; i < 0; ++i)
    text.add('0');
  short_text digits;
  add_number(digits, number.digits, 10);
  for (int i = 0; i < count || i < before_point; ++i) {
    if (i == before_point && i != 0)
      text.add('.');
    text.add(i < count ? digits.at[i] : '0');
  }
  if (is_scientific) {
    text.add(exponent < 0 ? "e-" : "e+");
    add_number(text, static_cast<unsigned long long>(exponent < 0 ? -exponent : exponent), 10, 2);
  }
}

__device__ inline void add_floating_point(short_text& text, double x, int count) {
  auto const bits = platform::bit_cast<unsigned long long>(x);
  auto const magnitude = bits & ~0ull >> 1, infinity = 0x7ffull << 52;
  if (magnitude > infinity)
    return text.add("nan");
  if (bits >> 63 != 0)
    text.add('-');
  if (magnitude == 0)
    text.add('0');
  else if (magnitude == infinity)
    text.add("inf");
  else
    add_finite(text, platform::bit_cast<double>(magnitude), count);
}

/// 8 digits for a double, as in NumPy, 7 for a float, 5 for smaller types.
template <typename E>
inline constexpr int shown_digits = is_same_v<E, double>  ? 8
                                    : is_same_v<E, float> ? 7
                                                          : 5;

template <typename E>
__device__ short_text element_text(E x) {
  short_text text;
  if constexpr (is_bool_v<E>) {
    text.add(x ? "true" : "false");
  } else if constexpr (is_pointer_v<E>) {
    text.add("0x");
    add_number(text, reinterpret_cast<unsigned long long>(x), 16);
  } else if constexpr (is_floating_point_v<E>) {
    add_floating_point(text, detail::convert<double>(x), shown_digits<E>);
  } else {
    bool const is_negative = x < E(0);
    if (is_negative)
      text.add('-');
    auto const bits = static_cast<unsigned long long>(x);
    add_number(text, is_negative ? 0 - bits : bits, 10);
  }
  return text;
}

template <typename E>
inline constexpr char const* element_name = "?";
template <>
inline constexpr char const* element_name<void> = "void";
template <typename E>
  requires(is_numeric_v<E>)
inline constexpr char const* element_name<E> = scalar_traits<E>::name;

/// The name of an element type as it is written in source code.
template <typename E>
__device__ short_text element_type_text() {
  using pointee = remove_pointer_t<E>;
  short_text text;
  if (is_const_v<pointee>)
    text.add("const ");
  if (is_volatile_v<pointee>)
    text.add("volatile ");
  text.add(element_name<remove_cv_t<pointee>>);
  if (is_pointer_v<E>)
    text.add('*');
  return text;
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
