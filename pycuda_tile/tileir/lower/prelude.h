// What Tile IR has and the API of cuda_tile.h has not; stands in front of each translated module.
//
// Integers have no sign in Tile IR. They are kept in the signed types, i1 in bool, and an operation reads
// them as it needs: `read<Sign>` and back with `write`.
#include "cuda_tile.h"
#include <cstdio>

namespace ct = cuda::tiles;

namespace tileir {

using namespace ct::detail;
namespace el = ct::elements;

enum sign { as_unsigned, as_signed };

/// What integers in memory are to a caller: arrays of elements of so many bytes, of whichever sign.
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

/// An operation of ct::elements on operands read with a sign.
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
/// Of floating point: where an operand is NaN, false if ordered, true if not.
template <typename R, bool Ordered, typename F, typename A>
CUDA_TILE_API R compare_floats(F f, A const& a, A const& b) {
  return map<R>(
      [f](auto x, auto y) {
        using C = el::compute_t<decltype(x)>;
        C p = convert<C>(x), q = convert<C>(y);
        bool nan = p != p || q != q;
        return Ordered ? !nan && f(p, q) : nan || f(p, q);
      },
      a, b);
}

/// Shifts by the width or more, which are undefined, leave zeros or copies of the sign.
template <typename R, typename A>
CUDA_TILE_API R shift_left(A const& a, A const& n) {
  return map<R>(
      []<typename E>(E x, E by) {
        unsigned long long count = read<as_unsigned>(by);
        if (count >= static_cast<unsigned long long>(bitwidth_v<E>))
          return write<E>(0);
        return write<E>(static_cast<unsigned long long>(read<as_unsigned>(x)) << count);
      },
      a, n);
}
template <typename R, sign Sign, typename A>
CUDA_TILE_API R shift_right(A const& a, A const& n) {
  return map<R>(
      []<typename E>(E x, E by) {
        unsigned long long count = read<as_unsigned>(by);
        bool all = count >= static_cast<unsigned long long>(bitwidth_v<E>);
        if constexpr (Sign == as_unsigned)
          return write<E>(all ? 0ULL : static_cast<unsigned long long>(read<Sign>(x)) >> count);
        else
          return write<E>(static_cast<long long>(read<Sign>(x)) >> (all ? 63ULL : count));
      },
      a, n);
}

/// |x| to be read as unsigned; of i1, the one negative number is its own.
template <typename R, typename A>
CUDA_TILE_API R absolute(A const& a) {
  return map<R>([]<typename E>(E x) { return is_same_v<E, bool> ? x : el::abs{}(x); }, a);
}

/// Widening or cutting off, as integers of the sign given.
template <typename R, sign Sign, typename A>
CUDA_TILE_API R resize(A const& a) {
  using E = ct::tile_element_t<R>;
  return map<R>([](auto x) { return write<E>(read<Sign>(x)); }, a);
}
template <typename R, sign Sign, typename A>
CUDA_TILE_API R to_float(A const& a) {
  using E = ct::tile_element_t<R>;
  return map<R>([](auto x) { return convert<E>(read<Sign>(x)); }, a);
}

/// Rounded in a direction; to e8m0, which has no sign, the magnitude toward zero.
template <typename R, ct::rounding_mode Mode, typename A>
CUDA_TILE_API R round_to(A const& a) {
  using E = ct::tile_element_t<R>;
  return map<R>(
      [](auto x) {
        using wide = conditional_t<is_same_v<decltype(x), double>, double, float>;
        wide value = convert<wide>(x);
        if constexpr (is_same_v<E, double>) {
          return convert<double>(x);
        } else if constexpr (is_same_v<E, __nv_fp8_e8m0>) {
          E above = convert<E>(value);
          auto bits = ct::platform::bit_cast<unsigned char>(above);
          bool step = convert<wide>(above) > el::abs{}(value) && bits != 0;
          return ct::platform::bit_cast<E>(static_cast<unsigned char>(bits - step));
        } else {
          return el::narrow<Mode, E>(value);
        }
      },
      a);
}
/// Rounded to nearest, ties away from zero. Only tf32 is ever inexact.
template <typename R, typename A>
CUDA_TILE_API R round_away(A const& a) {
  using E = ct::tile_element_t<R>;
  return map<R>(
      [](auto x) {
        if constexpr (is_same_v<E, __nv_tf32>) {
          float value;
          if constexpr (is_same_v<decltype(x), double>)
            value = to_odd_float(x);
          else
            value = convert<float>(x);
          unsigned bits = ct::platform::bit_cast<unsigned>(value);
          bool finite = (bits & 0x7f800000u) != 0x7f800000u;
          return finite ? ct::platform::bit_cast<E>((bits + 0x1000u) & 0xffffe000u) : convert<E>(value);
        } else {
          return convert<E>(x);
        }
      },
      a);
}

/// Cut off toward zero; what is out of range becomes the nearest end of it, NaN zero. To i1: what is not
/// zero.
template <typename R, sign Sign, typename A>
CUDA_TILE_API R to_integer(A const& a) {
  using E = ct::tile_element_t<R>;
  return map<R>(
      [](auto x) {
        using wide = conditional_t<is_same_v<decltype(x), double>, double, float>;
        constexpr int bits = bitwidth_v<E>;
        wide value = convert<wide>(x);
        if constexpr (is_same_v<E, bool>)
          return value != 0;
        wide beyond = static_cast<wide>(1ULL << (bits - 1)) * (Sign == as_signed ? 1 : 2);
        unsigned long long greatest = Sign == as_unsigned ? ~0ULL >> (64 - bits) : (1ULL << (bits - 1)) - 1;
        if (value != value)
          return write<E>(0);
        if (value >= beyond)
          return write<E>(greatest);
        if constexpr (Sign == as_signed)
          return write<E>(value < -beyond ? static_cast<long long>(~greatest)
                                          : static_cast<long long>(value));
        else
          return write<E>(value <= 0 ? 0ULL : static_cast<unsigned long long>(value));
      },
      a);
}

template <typename R, typename C, typename A>
CUDA_TILE_API R select(C const& condition, A const& a, A const& b) {
  return map<R>([](bool c, auto x, auto y) { return c ? x : y; }, condition, a, b);
}

// views

/// Where a tile begins; all that lies beyond the tensor is as good as its end.
template <typename E>
CUDA_TILE_API long long first(E index, long long step, long long extent) {
  auto const i = static_cast<unsigned long long>(read<as_unsigned>(index));
  return i > static_cast<unsigned long long>(extent / step) ? extent : static_cast<long long>(i) * step;
}

// pointers

template <typename R, typename P, typename N>
CUDA_TILE_API R offset(P const& ptr, N const& n) {
  return map<R>([](auto p, auto i) { return p + static_cast<long long>(read<as_signed>(i)); }, ptr, n);
}
template <typename R, typename A>
CUDA_TILE_API R address_cast(A const& a) {
  using E = ct::tile_element_t<R>;
  return map<R>(
      [](auto x) {
        if constexpr (is_pointer_scalar_v<E> || is_pointer_scalar_v<decltype(x)>)
          return reinterpret_cast<E>(x);
        else
          return x;
      },
      a);
}

// tiles

/// The only element of a tile.
template <typename T>
CUDA_TILE_API ct::tile_element_t<T> element_of(T const& x) {
  if constexpr (ct::scalar<T>)
    return x;
  else
    return x.slots[0];
}

/// All elements alike, from a scalar or a tile of one element.
template <typename R, typename T>
CUDA_TILE_API R splat(T const& x) {
  return map<R>([](auto e) { return e; }, element_of(x));
}

/// What elements outside of a tensor are read as.
template <typename E, ct::view_padding Pad>
CUDA_TILE_API E padding() {
  return padding_value<Pad, E>();
}

/// The elements of an array, in row-major order.
template <typename R, typename E>
CUDA_TILE_API R listed(E const* from) {
  R result;
  unsigned const t = ct::platform::thread();
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < R::distribution::slots; ++s)
    result.slots[s] = from[R::distribution::index(t, s)];
  return result;
}

/// Elements in the opposite order along dimension D.
template <size_t D, typename T>
CUDA_TILE_API T reversed(T const& x) {
  using S = ct::tile_shape_t<T>;
  constexpr unsigned n = static_cast<unsigned>(length<S>(D));
  constexpr unsigned inner = static_cast<unsigned>(length_product<S>(D + 1, S::rank()));
  auto position = [](unsigned i) { return i + (n - 1 - 2 * (i / inner % n)) * inner; };
  T result;
  if constexpr (ct::platform::block_threads == 1) {
    for (unsigned i = 0; i < T::distribution::size; ++i)
      result.slots[i] = x.slots[position(i)];
  } else {
    take_through_scratch(result, x, position);
  }
  return result;
}

/// A slice of `whole` replaced; the slice's first element is at row-major position `first`.
template <typename W, typename P>
CUDA_TILE_API W inserted(W const& whole, P const& part, unsigned first) {
  static_assert(sizeof(W) == 0 || ct::platform::block_threads == 1, "insert needs a block of one thread");
  using S = ct::tile_shape_t<W>;
  using T = ct::tile_shape_t<P>;
  W result = whole;
  for (unsigned i = 0; i < P::distribution::size; ++i) {
    unsigned rest = i, at = first;
    for (size_t d = T::rank(); d-- > 0;) {
      unsigned n = static_cast<unsigned>(length<T>(d));
      at += rest % n * static_cast<unsigned>(length_product<S>(d + 1, S::rank()));
      rest /= n;
    }
    result.slots[at] = part.slots[i];
  }
  return result;
}

// pack and unpack: elements of 2N bits are made of two of N bits, the lower first, until widths agree

template <unsigned Bits>
using unsigned_of = typename unsigned_of_size<(Bits < 8 ? 8 : Bits) / 8>::type;
template <typename U, size_t N>
using vector = ct::tile<U, ct::shape<N>>;

/// x[0], y[0], x[1], y[1], ...
template <typename U, size_t N>
CUDA_TILE_API auto interleaved(vector<U, N> const& x, vector<U, N> const& y) {
  using column = ct::shape<N, 1>;
  auto pairs = ct::cat(ct::reshape(x, column{}), ct::reshape(y, column{}), ct::integral_constant<1>{});
  return ct::reshape(pairs, ct::shape<2 * N>{});
}
/// x[I], x[I + 2], ...
template <int I, typename U, size_t N>
CUDA_TILE_API auto every_other(vector<U, N> const& x) {
  auto column = ct::extract(ct::reshape(x, ct::shape<N / 2, 2>{}), ct::shape<N / 2, 1>{}, 0, I);
  return ct::reshape(column, ct::shape<N / 2>{});
}

/// Numbers of `Bits` bits as numbers of `Wanted` bits, each in an unsigned type that is wide enough.
template <unsigned Bits, unsigned Wanted, typename U, size_t N>
CUDA_TILE_API auto regrouped(vector<U, N> const& x) {
  if constexpr (Bits == Wanted) {
    return x;
  } else if constexpr (Bits < Wanted) {
    using wide = unsigned_of<Bits * 2>;
    auto low = ct::element_cast<wide>(every_other<0>(x)), high = ct::element_cast<wide>(every_other<1>(x));
    return regrouped<Bits * 2, Wanted>(low | high << wide(Bits));
  } else {
    constexpr unsigned half = Bits / 2;
    using narrow = unsigned_of<half>;
    constexpr U mask = static_cast<U>((1ull << half) - 1);
    auto low = ct::element_cast<narrow>(x & mask), high = ct::element_cast<narrow>(x >> U(half) & mask);
    return regrouped<half, Wanted>(interleaved(low, high));
  }
}

/// The bits of x, elements of `Bits` bits, as elements of R, of `Wanted` bits.
template <typename R, unsigned Bits, unsigned Wanted, typename T>
CUDA_TILE_API R repacked(T const& x) {
  // Not element_bitcast: a 4-bit float has no other type of its width.
  auto numbers = map<ct::tile_with_element_t<T, unsigned_of<Bits>>>(
      [](auto e) { return ct::platform::bit_cast<unsigned_of<Bits>>(e); }, x);
  return map<R>([](auto u) { return ct::platform::bit_cast<ct::tile_element_t<R>>(u); },
                regrouped<Bits, Wanted>(numbers));
}

// reductions of several tiles at once

/// Tiles of one shape side by side: P has a member for each.
template <typename P, typename Shape>
struct packed {
  using element_type = P;
  using shape_type = Shape;
  using distribution = typename ct::tile<unsigned char, Shape>::distribution;
  P slots[distribution::slots];
};

template <typename P, typename T, typename... Ts>
CUDA_TILE_API auto pack_slots(T const& first, Ts const&... others) {
  packed<P, ct::tile_shape_t<T>> result;
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < T::distribution::slots; ++s)
    result.slots[s] = P{first.slots[s], others.slots[s]...};
  return result;
}
template <typename P, typename... Ts>
CUDA_TILE_API auto pack(Ts const&... tiles) {
  return pack_slots<P>(normal(tiles)...);
}
/// The tile of one member, in a shape of as many elements.
template <typename R, typename P, typename S, typename F>
CUDA_TILE_API R unpack(packed<P, S> const& a, F member) {
  ct::tile<ct::tile_element_t<R>, S> result;
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < packed<P, S>::distribution::slots; ++s)
    result.slots[s] = member(a.slots[s]);
  if constexpr (ct::scalar<R>)
    return result.slots[0];
  else
    return ct::reshape(result, ct::tile_shape_t<R>{});
}

template <size_t D, typename To, typename P, typename From, typename F>
CUDA_TILE_API packed<P, To> reduce_packed(F f, packed<P, From> const& a) {
  constexpr unsigned n = static_cast<unsigned>(length<From>(D));
  constexpr unsigned inner = static_cast<unsigned>(length_product<From>(D + 1, From::rank()));
  packed<P, To> result;
  if constexpr (ct::platform::block_threads == 1)
    reduce_in_one_thread<n, inner>(result, f, a);
  else
    reduce_across_threads<n, inner>(result, f, a);
  return result;
}
template <size_t D, typename P, typename S, typename F>
CUDA_TILE_API packed<P, S> scan_packed(F f, packed<P, S> const& a) {
  constexpr unsigned n = static_cast<unsigned>(length<S>(D));
  constexpr unsigned inner = static_cast<unsigned>(length_product<S>(D + 1, S::rank()));
  packed<P, S> result = a;
  if constexpr (ct::platform::block_threads == 1)
    scan_in_one_thread<n, inner>(result, f);
  else
    scan_across_threads<n, inner>(result, f);
  return result;
}

// messages

/// What printf is given: a `long long` for integers and pointers.
template <sign Sign, typename E>
CUDA_TILE_API long long printed(E x) {
  if constexpr (is_pointer_scalar_v<E>)
    return reinterpret_cast<long long>(x);
  else
    return static_cast<long long>(read<Sign>(x));
}
/// A `double` for the others; no sign of a NaN means anything.
template <typename E>
CUDA_TILE_API double printed(E x) {
  double const value = convert<double>(x);
  return value == value ? value : ct::platform::bit_cast<double>(0x7ff8000000000000ULL);
}

/// Calls one(e) for each element in row-major order, with brackets and commas around, as NumPy nests them.
template <typename T, typename F>
CUDA_TILE_API void print(T const& x, F one) {
  static_assert(sizeof(T) == 0 || ct::platform::block_threads == 1, "a block of one thread prints tiles");
  using S = ct::tile_shape_t<T>;
  for (unsigned i = 0; i < T::distribution::size; ++i) {
    unsigned opened = 0, closed = 0;
    for (size_t d = S::rank(); d-- > 0;) {
      unsigned run = static_cast<unsigned>(length_product<S>(d, S::rank()));
      opened += i % run == 0;
      closed += (i + 1) % run == 0;
    }
    if (i != 0 && opened != 0)
      printf(", ");
    for (unsigned k = 0; k < opened; ++k)
      printf("[");
    one(x.slots[i]);
    for (unsigned k = 0; k < closed; ++k)
      printf("]");
    if (closed == 0)
      printf(", ");
  }
}

template <typename T>
CUDA_TILE_API bool all_of(T const& x) {
  if constexpr (ct::scalar<T>) {
    return x;
  } else {
    auto flat = ct::reshape(x, ct::shape<ct::tile_size_v<T>>{});
    return element_of(reduce<0>(el::logical_and{}, flat));
  }
}

/// The row-major position of the first element that does not hold.
template <typename T>
CUDA_TILE_API unsigned first_failure(T const& x) {
  if constexpr (ct::scalar<T>) {
    return 0;
  } else {
    using flat = ct::shape<ct::tile_size_v<T>>;
    using positions = ct::tile<unsigned, flat>;
    auto failing = map<positions>([](bool holds, unsigned i) { return holds ? ~0u : i; },
                                  ct::reshape(x, flat{}), ct::iota<positions>());
    return element_of(reduce<0>([](unsigned a, unsigned b) { return a < b ? a : b; }, failing));
  }
}

/// What `assert` does: fail(position) for the first element that does not hold. That throws on the host; on a
/// device it writes a message, and the kernel ends with an error.
template <typename T, typename F>
CUDA_TILE_API void require(T const& x, F fail) {
  if (all_of(x))
    return;
  unsigned const at = first_failure(x);
#if CUDA_TILE_ON_CUDA
  if (ct::platform::thread() == 0)
    fail(at);
  ct::platform::barrier();
  __trap();
#else
  fail(at);
#endif
}

// loops

/// How often a counted loop runs; never if the step is not positive.
template <sign Sign, typename E>
CUDA_TILE_API unsigned long long rounds(E lower, E upper, E step) {
  auto a = read<Sign>(lower), b = read<Sign>(upper), s = read<Sign>(step);
  if (!(a < b) || !(s > 0))
    return 0;
  auto span = static_cast<unsigned long long>(b) - static_cast<unsigned long long>(a);
  return (span - 1) / static_cast<unsigned long long>(s) + 1;
}

} // namespace tileir
