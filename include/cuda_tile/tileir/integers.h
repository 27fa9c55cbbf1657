// Integers, which are signless in Tile IR. They are stored in the signed types, i1 in bool; an operation
// reads them with the signedness that it needs through `read<Sign>`, and converts back with `write`.
#pragma once

#include "cuda_tile/tileir/tiles.h"

namespace cuda_tile::inline CUDA_TILE_ABI::tileir {

enum sign { as_unsigned, as_signed };

/// How callers pass integers in memory: arrays of elements of the given size, signed or not.
template <typename E>
struct integer {
  E value;
};

template <sign Sign, typename E>
CUDA_TILE_API auto read(E x) {
  if constexpr (is_same_v<E, bool> && Sign == as_signed)
    return static_cast<signed char>(x ? -1 : 0);
  else if constexpr (is_same_v<E, bool>)
    return static_cast<unsigned char>(x);
  else if constexpr (Sign == as_unsigned)
    return static_cast<bits_t<E>>(x);
  else
    return x;
}

template <typename E, typename V>
CUDA_TILE_API E write(V x) {
  if constexpr (is_same_v<E, bool>)
    return (x & 1) != 0;
  else
    return static_cast<E>(x);
}

/// An operation of ct::elements on operands read with the given signedness.
template <sign Sign, typename F>
struct reading {
  F f;
  template <typename E>
  CUDA_TILE_API E operator()(E a, E b) const {
    return write<E>(f(read<Sign>(a), read<Sign>(b)));
  }
};
template <sign Sign, typename F>
struct comparing {
  F f;
  template <typename E>
  CUDA_TILE_API bool operator()(E a, E b) const {
    return f(read<Sign>(a), read<Sign>(b));
  }
};

template <typename R, sign Sign, typename F, typename A>
CUDA_TILE_API R with_sign(F f, A const& a, A const& b) {
  return map<R>(reading<Sign, F>{f}, a, b);
}
template <typename R, sign Sign, typename F, typename A>
CUDA_TILE_API R compare(F f, A const& a, A const& b) {
  return map<R>(comparing<Sign, F>{f}, a, b);
}

/// Shifts by the width or more, which are undefined, yield zeros or copies of the sign bit.
struct shifting_left {
  template <typename E>
  CUDA_TILE_API E operator()(E x, E by) const {
    unsigned long long count = read<as_unsigned>(by);
    if (count >= static_cast<unsigned long long>(bitwidth_v<E>))
      return write<E>(0);
    return write<E>(static_cast<unsigned long long>(read<as_unsigned>(x)) << count);
  }
};
template <sign Sign>
struct shifting_right {
  template <typename E>
  CUDA_TILE_API E operator()(E x, E by) const {
    unsigned long long count = read<as_unsigned>(by);
    bool all = count >= static_cast<unsigned long long>(bitwidth_v<E>);
    if constexpr (Sign == as_unsigned)
      return write<E>(all ? 0ULL : static_cast<unsigned long long>(read<Sign>(x)) >> count);
    else
      return write<E>(static_cast<long long>(read<Sign>(x)) >> (all ? 63ULL : count));
  }
};
template <typename R, typename A>
CUDA_TILE_API R shift_left(A const& a, A const& n) {
  return map<R>(shifting_left{}, a, n);
}
template <typename R, sign Sign, typename A>
CUDA_TILE_API R shift_right(A const& a, A const& n) {
  return map<R>(shifting_right<Sign>{}, a, n);
}

/// Unlike elements::abs, it is defined for the least number.
struct magnitude {
  template <typename E>
  CUDA_TILE_API E operator()(E x) const {
    return elements::abs{}(x);
  }
};
/// |x|, to be read as unsigned; the only negative i1 is its own magnitude.
template <typename R, typename A>
CUDA_TILE_API R absolute(A const& a) {
  if constexpr (is_same_v<ct::tile_element_t<R>, bool>)
    return a;
  else
    return map<R>(magnitude{}, a);
}

/// Widened or truncated, as integers of the given signedness.
template <typename E, sign Sign>
struct resizing {
  template <typename From>
  CUDA_TILE_API E operator()(From x) const {
    return write<E>(read<Sign>(x));
  }
};
template <typename R, sign Sign, typename A>
CUDA_TILE_API R resize(A const& a) {
  return map<R>(resizing<ct::tile_element_t<R>, Sign>{}, a);
}

/// The number of iterations of a counted loop; zero if the step is not positive.
template <sign Sign, typename E>
CUDA_TILE_API unsigned long long rounds(E lower, E upper, E step) {
  auto a = read<Sign>(lower), b = read<Sign>(upper), s = read<Sign>(step);
  if (!(a < b) || !(s > 0))
    return 0;
  auto span = static_cast<unsigned long long>(b) - static_cast<unsigned long long>(a);
  return (span - 1) / static_cast<unsigned long long>(s) + 1;
}

} // namespace cuda_tile::inline CUDA_TILE_ABI::tileir

#if CUDA_TILE_CHECKED

namespace cuda::tiles::inline CUDA_TILE_ABI::checks {

/// The precondition of F, on operands read with the given signedness.
template <cuda_tile::tileir::sign Sign, typename F>
struct precondition<cuda_tile::tileir::reading<Sign, F>> {
  static constexpr char const* function = precondition<F>::function;
  template <typename E>
  static int violated(E a, E b)
    requires requires { precondition<F>::violated(a, b); }
  {
    return precondition<F>::violated(cuda_tile::tileir::read<Sign>(a), cuda_tile::tileir::read<Sign>(b));
  }
};

struct shift_precondition {
  static constexpr char const* function = "shift";
  template <typename E>
  static int violated(E, E by) {
    unsigned long long count = cuda_tile::tileir::read<cuda_tile::tileir::as_unsigned>(by);
    return count < static_cast<unsigned long long>(detail::bitwidth_v<E>) ? -1 : cuda_tile_shift_range;
  }
};
template <>
struct precondition<cuda_tile::tileir::shifting_left> : shift_precondition {};
template <cuda_tile::tileir::sign Sign>
struct precondition<cuda_tile::tileir::shifting_right<Sign>> : shift_precondition {};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::checks

#endif
