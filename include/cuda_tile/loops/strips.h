// Strips: small tiles of neighbouring elements, which fit in a few registers, and how they are read from and
// written to memory.
#pragma once

#include "cuda_tile/loops/on_vectors.h"
#include "cuda_tile/platform/host_partial_vectors.h"
#include "cuda_tile/platform/host_streaming.h"
#include "cuda_tile/tileir/floats.h"
#include "cuda_tile/tileir/memory.h"

namespace cuda_tile::inline CUDA_TILE_ABI::loops {

namespace ct = cuda::tiles;

template <typename E, unsigned S>
using strip = ct::tile<E, ct::shape<S>>;

/// The bytes of the widest of these types.
template <typename... Es>
constexpr unsigned strip_width() {
  unsigned widest = 1;
  ((widest = sizeof(Es) > widest ? sizeof(Es) : widest), ...);
  return widest;
}

/// How many elements of a row of N a strip has, where tiles of these element types are computed together:
/// four vectors of the widest one, but no more than `Most`; at least one of the narrowest, or compilers would
/// compute with vectors of half the width, which processors do not forward to loads of whole ones. Where rows
/// are reduced, it has all lanes of a reduction.
template <unsigned N, unsigned Most, typename... Es>
constexpr unsigned strip_length() {
  unsigned length = 4 * ct::platform::vector_bytes / strip_width<Es...>();
  length = length < Most ? length : Most;
  unsigned narrowest = 8;
  ((narrowest = sizeof(Es) < narrowest ? sizeof(Es) : narrowest), ...);
  unsigned const least = ct::platform::vector_bytes / narrowest;
  length = length < least ? least : length;
  return length < N ? length : N;
}

/// A bool as wide as the widest of these types, all bits equal.
template <typename... Es>
struct truth {
  using is_structure = void;
  using bits = typename ct::detail::unsigned_of_size<strip_width<Es...>()>::type;
  bits value;

  truth() = default;
  truth(bool x) : value(x ? static_cast<bits>(-1) : 0) {}
  operator bool() const { return value != 0; }
};

/// A strip whose elements all equal x. Compilers would store bytes in groups of eight, which processors do
/// not forward to a load of all of them.
template <typename R, typename T>
CUDA_TILE_API R splat(T const& x) {
  using E = typename R::element_type;
  constexpr unsigned count = R::distribution::size;
  if constexpr (sizeof(E) == 1 && count >= 16) {
    typedef unsigned char bytes __attribute__((vector_size(count)));
    R result;
    auto const byte = ct::platform::bit_cast<unsigned char>(E(tileir::element_of(x)));
    ct::platform::store_vector(result.slots, bytes{} + byte);
    return result;
  } else {
    return tileir::splat<R>(x);
  }
}

/// Pointers moved on by numbers of elements, as vectors for the reason that resize() has.
template <typename R, typename P, typename N>
CUDA_TILE_API R offset(P const& from, N const& count) {
  constexpr unsigned lanes = ct::platform::vector_bytes / sizeof(long long), size = R::distribution::size;
  if constexpr (sizeof(from) == sizeof(R) && sizeof(count) == sizeof(R) && size % lanes == 0) {
    using V = ct::platform::vector<long long>;
    constexpr long long step = sizeof(*from.slots[0]);
    R result;
    for (unsigned l = 0; l < size; l += lanes)
      ct::platform::store_vector(result.slots + l, ct::platform::load_vector<V>(from.slots + l) +
                                                       ct::platform::load_vector<V>(count.slots + l) * step);
    return result;
  } else {
    return tileir::offset<R>(from, count);
  }
}

template <typename E, unsigned S>
CUDA_TILE_API void copy(E* to, E const* from) {
  if constexpr (S * sizeof(E) % ct::platform::vector_bytes == 0)
    ct::platform::copy_vectors<S * sizeof(E)>(to, from);
  else
    __builtin_memcpy(to, from, S * sizeof(E));
}

/// Which elements of a strip exist: those from `first` up to but not including `last`, or so many first ones.
struct between {
  long long first, last;

  CUDA_TILE_API between(long long count) : first(0), last(count) {}
  CUDA_TILE_API between(long long first, long long last) : first(first), last(last) {}
  CUDA_TILE_API bool has(long long l) const { return first <= l && l < last; }
  template <unsigned S>
  CUDA_TILE_API bool has_all() const {
    return first <= 0 && last >= static_cast<long long>(S);
  }
};

/// The elements that exist, at the given distance, and padding for the others. Not inlined, because it is
/// rarely called and long.
template <unsigned S, typename E>
[[gnu::noinline]] void load_part(E* to, E const* from, long long step, between inside, E pad) {
  for (unsigned l = 0; l < S; ++l)
    to[l] = inside.has(l) ? from[l * step] : pad;
}
template <unsigned S, typename E>
[[gnu::noinline]] void store_part(E* to, long long step, E const* from, between inside) {
  for (unsigned l = 0; l < S; ++l)
    if (inside.has(l))
      to[l * step] = from[l];
}

/// A strip of neighbours.
template <unsigned S, typename E>
CUDA_TILE_API strip<E, S> load(E const* from, between inside, E pad) {
  if constexpr (ct::platform::has_partial_vectors<E> && S * sizeof(E) % ct::platform::vector_bytes == 0) {
    using V = ct::platform::vector<long long>; // compilers keep what branches load in registers, but no tiles
    constexpr unsigned count = S * sizeof(E) / sizeof(V);
    V vectors[count];
    // Else g++ copies what follows into each branch, and strips go through memory from one to the next.
    if (!__builtin_constant_p(inside.last))
      inside.last = ct::platform::hidden(inside.last);
    if (inside.has_all<S>())
      for (unsigned v = 0; v < count; ++v)
        vectors[v] = ct::platform::load_vector<V>(from + v * sizeof(V) / sizeof(E));
    else
      ct::platform::load_part_of_vectors<S>(vectors, from, inside.first, inside.last, pad);
    strip<E, S> result;
    for (unsigned v = 0; v < count; ++v)
      ct::platform::store_vector(result.slots + v * sizeof(V) / sizeof(E), vectors[v]);
    return result;
  }
  E padded[S];
  if (!inside.has_all<S>()) {
    load_part<S>(padded, from, 1, inside, pad);
    from = padded;
  }
  strip<E, S> result;
  copy<E, S>(result.slots, from);
  return result;
}
/// Asks for the cache lines of a strip, which need not exist.
template <unsigned S, typename E>
CUDA_TILE_API void prefetch(E const* from) {
  for (unsigned at = 0; at < S * sizeof(E); at += 64)
    __builtin_prefetch(reinterpret_cast<char const*>(from) + at);
}
/// Every second element, by vectors that end with the last one: what is beyond may not exist.
template <unsigned S, typename E>
CUDA_TILE_API strip<E, S> load_every_second(E const* from) {
  constexpr unsigned lanes = ct::platform::lanes_of_most<E, S>;
  using V = ct::platform::vector<ct::platform::bits_of_element<E>, lanes * sizeof(E)>;
  strip<E, S> result;
  for (unsigned l = 0; l < S; l += lanes) {
    auto const low = ct::platform::load_vector<V>(from + 2 * l);
    auto const high = ct::platform::load_vector<V>(from + 2 * l + lanes - 1);
    auto const place = [](unsigned i) { return i < lanes / 2 ? 2 * i : 2 * i + 1; };
    ct::platform::store_vector(result.slots + l, ct::platform::shuffle_lanes(low, high, place));
  }
  return result;
}
/// The same for elements at a distance from each other.
template <unsigned S, typename E>
CUDA_TILE_API strip<E, S> load(E const* from, long long step, between inside, E pad) {
  strip<E, S> result;
  if (!inside.has_all<S>())
    load_part<S>(result.slots, from, step, inside, pad);
  else if (__builtin_constant_p(step) && step == 2 && S > 1)
    return load_every_second<S>(from);
  else
    for (unsigned l = 0; l < S; ++l)
      result.slots[l] = from[l * step];
  return result;
}
/// The padding of loads that need none.
template <typename E>
CUDA_TILE_API E any() {
  return E{};
}
/// One element, or the padding.
template <typename E>
CUDA_TILE_API E load_one(E const* from, long long inside, E pad) {
  return inside > 0 ? *from : pad;
}

template <typename E, unsigned S>
CUDA_TILE_API void store(E* to, strip<E, S> const& x, between inside) {
  constexpr bool is_whole = S * sizeof(E) % ct::platform::vector_bytes == 0;
  if (inside.has_all<S>())
    copy<E, S>(to, x.slots);
  else if (inside.last > 0) {
    if constexpr (ct::platform::has_partial_vectors<E> && is_whole)
      ct::platform::store_part_of_vectors<S>(to, x.slots, inside.first, inside.last);
    else
      store_part<S>(to, 1, x.slots, inside);
  }
}
/// The same, past the caches if `streams`.
template <typename E, unsigned S>
CUDA_TILE_API void store(bool streams, E* to, strip<E, S> const& x, between inside) {
  if constexpr (ct::platform::has_streaming_stores && S * sizeof(E) % 64 == 0)
    if (streams && inside.has_all<S>())
      return ct::platform::stream<S * sizeof(E)>(to, x.slots);
  loops::store<E, S>(to, x, inside);
}
template <typename E, unsigned S>
CUDA_TILE_API void store(E* to, long long step, strip<E, S> const& x, between inside) {
  if (!inside.has_all<S>())
    store_part<S>(to, step, x.slots, inside);
  else
    for (unsigned l = 0; l < S; ++l)
      to[l * step] = x.slots[l];
}
template <typename E>
CUDA_TILE_API void store_one(E* to, E x, long long inside) {
  if (inside > 0)
    *to = x;
}

/// Copies elements one by one if they are few, which compilers keep in registers if such loops are unrolled
/// early; others as vectors, since what is made of them is made of vectors. Small ones of which one register
/// holds all are copied at once.
template <typename E, unsigned Count>
CUDA_TILE_API void copy_in_registers(E* to, E const* from) {
  constexpr unsigned few = 16;
  if constexpr (Count > few || (sizeof(E) < 4 && Count * sizeof(E) <= sizeof(long long))) {
    copy<E, Count>(to, from);
  } else {
#pragma GCC unroll 16
    for (unsigned l = 0; l < Count; ++l)
      to[l] = from[l];
  }
}
/// A tile from consecutive addresses, and to them.
template <typename R>
CUDA_TILE_API R load_row(typename R::element_type const* from) {
  R result;
  copy_in_registers<typename R::element_type, R::distribution::size>(result.slots, from);
  return result;
}
template <typename R>
CUDA_TILE_API void store_row(typename R::element_type* to, R const& x) {
  copy_in_registers<typename R::element_type, R::distribution::size>(to, x.slots);
}

/// Whether rows, of which `row` of Extent elements exist, are worth storing past the caches.
template <unsigned Extent, typename E, typename... Steps>
CUDA_TILE_API bool is_worth_streaming(E const* origin, unsigned long long bytes, long long row,
                                      Steps... steps) {
  constexpr unsigned long long size = sizeof(E);
  auto const ends = ((row < Extent ? static_cast<unsigned long long>(row) * size : 0) | ... |
                     (static_cast<unsigned long long>(steps) * size));
  return ct::platform::has_streaming_stores && ct::platform::is_worth_streaming(origin, bytes, ends);
}

/// first, first + step, ...
template <typename E, unsigned S, unsigned step = 1>
CUDA_TILE_API strip<E, S> count_from(unsigned first) {
  constexpr unsigned lanes = ct::platform::vector_bytes / sizeof(unsigned);
  strip<E, S> result;
  if constexpr (sizeof(E) == sizeof(unsigned) && S % lanes == 0) { // as vectors, for the reason above
    ct::platform::vector<unsigned> steps{};
    for (unsigned l = 0; l < lanes; ++l)
      steps[l] = l * step;
    steps += first; // once: compilers would move a number to vectors through the stack
    for (unsigned l = 0; l < S; l += lanes, steps += lanes * step)
      ct::platform::store_vector(result.slots + l, steps);
  } else {
    for (unsigned l = 0; l < S; ++l)
      result.slots[l] = static_cast<E>(first + l * step);
  }
  return result;
}

} // namespace cuda_tile::inline CUDA_TILE_ABI::loops
