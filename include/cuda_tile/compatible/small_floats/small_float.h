// Our small floating point types, for machines without NVIDIA's headers, have those names, sizes and values;
// this is what they share: conversions and arithmetic through float.
#pragma once

#include "cuda_tile/core/convert.h"

namespace cuda_tile {

/// Which conversions of a type are implicit: those of half and bfloat16 are, the others only hold values.
enum class conversions : bool { written, implicit };

/// The base of the small type E, which holds its bits.
template <typename E, typename Bits, conversions Conversions>
struct small_float {
  Bits __x;
  static constexpr bool computes = Conversions == conversions::implicit;
  using itself = E;

  small_float() = default;
  /// From any arithmetic type, rounded once.
  template <typename T>
    requires cuda::tiles::detail::is_arithmetic_v<T> && (!cuda::tiles::detail::is_below_float<T>)
#if CUDA_TILE_RECORD
  CUDA_TILE_BITS explicit(Conversions == conversions::written) small_float(T x) : __x(recorded_bits(x)) {
  }
#else
  CUDA_TILE_BITS explicit(Conversions == conversions::written) small_float(T x)
      : __x(static_cast<Bits>(format::from_float(near_float(x)))) {
  }
#endif
  CUDA_TILE_BITS explicit(Conversions == conversions::written) operator float() const {
#if CUDA_TILE_RECORD // by the name of the conversion, but for constants
    if (!__builtin_is_constant_evaluated())
      return cuda_tile::record::pure<cuda_tile::record::convert<float, E>, float>(__x);
#endif
    return format::to_float(__x);
  }

  /// From half or bfloat16.
  template <typename T>
    requires(cuda::tiles::detail::is_arithmetic_v<T> && cuda::tiles::detail::is_below_float<T> &&
             !cuda::tiles::detail::is_same_v<T, E>)
  CUDA_TILE_BITS explicit small_float(T x) : small_float(static_cast<float>(x)) {}
  /// Of a type that only holds values, to other arithmetic types. One that computes goes through float.
  template <typename T>
    requires(Conversions == conversions::written && cuda::tiles::detail::is_arithmetic_v<T> &&
             !cuda::tiles::detail::is_same_v<T, float>)
  CUDA_TILE_BITS explicit operator T() const {
    return static_cast<T>(static_cast<float>(*this));
  }

private:
  using format = cuda::tiles::detail::format_of<E>;

#if CUDA_TILE_RECORD
  template <typename T>
  static CUDA_TILE_BITS Bits recorded_bits(T x) {
    if (!__builtin_is_constant_evaluated())
      return cuda_tile::record::pure<cuda_tile::record::convert<E, T>, Bits>(x);
    return static_cast<Bits>(format::from_float(near_float(x)));
  }
#endif

  /// A float that rounds to the small type as x does.
  template <typename T>
  static CUDA_TILE_BITS float near_float(T x) {
    if constexpr (cuda::tiles::detail::is_same_v<T, float>)
      return x;
    else
      return cuda::tiles::detail::to_odd_float(x);
  }
};

template <typename E>
concept computing_small_float = E::computes;

/// Not deduced, so that arguments are converted to it.
template <typename E>
using same = typename E::itself;

// clang-format off
template <computing_small_float E>
CUDA_TILE_BITS E operator+(E a, E b) { return static_cast<float>(a) + static_cast<float>(b); }
template <computing_small_float E>
CUDA_TILE_BITS E operator-(E a, E b) { return static_cast<float>(a) - static_cast<float>(b); }
template <computing_small_float E>
CUDA_TILE_BITS E operator*(E a, E b) { return static_cast<float>(a) * static_cast<float>(b); }
template <computing_small_float E>
CUDA_TILE_BITS E operator/(E a, E b) { return static_cast<float>(a) / static_cast<float>(b); }
template <computing_small_float E>
CUDA_TILE_BITS E operator-(E a) { return -static_cast<float>(a); }
template <computing_small_float E>
CUDA_TILE_BITS E& operator++(E& a) { return a += 1; }
template <computing_small_float E>
CUDA_TILE_BITS E& operator--(E& a) { return a -= 1; }
template <computing_small_float E>
CUDA_TILE_BITS E operator++(E& a, int) { const E before = a; ++a; return before; }
template <computing_small_float E>
CUDA_TILE_BITS E operator--(E& a, int) { const E before = a; --a; return before; }
template <computing_small_float E>
CUDA_TILE_BITS E& operator+=(E& a, same<E> b) { return a = a + b; }
template <computing_small_float E>
CUDA_TILE_BITS E& operator-=(E& a, same<E> b) { return a = a - b; }
template <computing_small_float E>
CUDA_TILE_BITS E& operator*=(E& a, same<E> b) { return a = a * b; }
template <computing_small_float E>
CUDA_TILE_BITS E& operator/=(E& a, same<E> b) { return a = a / b; }
// clang-format on

} // namespace cuda_tile

// CUDA's functions of half and bfloat16
// clang-format off
template <cuda_tile::computing_small_float E>
CUDA_TILE_BITS E __hadd(E a, E b) { return a + b; }
template <cuda_tile::computing_small_float E>
CUDA_TILE_BITS E __hsub(E a, E b) { return a - b; }
template <cuda_tile::computing_small_float E>
CUDA_TILE_BITS E __hmul(E a, E b) { return a * b; }
template <cuda_tile::computing_small_float E>
CUDA_TILE_BITS E __hdiv(E a, E b) { return a / b; }
template <cuda_tile::computing_small_float E>
CUDA_TILE_BITS bool __heq(E a, E b) { return a == b; }
template <cuda_tile::computing_small_float E>
CUDA_TILE_BITS bool __hne(E a, E b) { return a != b; }
template <cuda_tile::computing_small_float E>
CUDA_TILE_BITS bool __hlt(E a, E b) { return a < b; }
template <cuda_tile::computing_small_float E>
CUDA_TILE_BITS bool __hle(E a, E b) { return a <= b; }
template <cuda_tile::computing_small_float E>
CUDA_TILE_BITS bool __hgt(E a, E b) { return a > b; }
template <cuda_tile::computing_small_float E>
CUDA_TILE_BITS bool __hge(E a, E b) { return a >= b; }
template <cuda_tile::computing_small_float E>
CUDA_TILE_BITS E __hneg(E a) { return -a; }
template <cuda_tile::computing_small_float E>
CUDA_TILE_BITS bool __hisnan(E a) { return a != a; }
// clang-format on
