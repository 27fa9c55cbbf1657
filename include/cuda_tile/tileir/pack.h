// pack and unpack: elements of 2N bits consist of two of N bits, lower half first, until the widths agree.
#pragma once

#include "cuda_tile/tileir/tiles.h"

namespace cuda_tile::inline CUDA_TILE_ABI::tileir {

/// The bits of i4, which is held as a number from -8 to 7.
template <typename T>
CUDA_TILE_API T low_half(T const& x) {
  return map<T>([](signed char e) { return static_cast<signed char>(e & 15); }, x);
}
template <typename T>
CUDA_TILE_API T sign_of_low_half(T const& x) {
  return map<T>([](signed char e) { return static_cast<signed char>(((e & 15) ^ 8) - 8); }, x);
}
/// The bits of elements that take as many bytes, but are not as wide for ct::element_bitcast.
template <typename R, typename T>
CUDA_TILE_API R bits_as(T const& x) {
  return map<R>([](auto e) { return bit_cast<ct::tile_element_t<R>>(e); }, x);
}

/// Elements of which two share a byte of memory.
template <typename R, typename P, typename M>
CUDA_TILE_API R load_halves(P const& pointers, M const& inside, M const& high, R const& otherwise) {
  using E = ct::tile_element_t<R>;
  return map<R>(
      [](unsigned char both, bool in, bool up, E other) {
        return in ? bit_cast<E>(static_cast<unsigned char>(up ? both >> 4 : both & 15)) : other;
      },
      ct::load_masked(pointers, inside), inside, high, otherwise);
}
template <typename P, typename T, typename M>
CUDA_TILE_API void store_halves(P const& pointers, T const& x, M const& inside, M const& high) {
  using bytes = ct::tile_with_element_t<T, unsigned char>;
  for (int up = 0; up < 2; ++up) {
    auto const mask = map<M>([up](bool in, bool h) { return in && h == (up != 0); }, inside, high);
    auto const both = map<bytes>(
        [up](unsigned char other, auto e) {
          int const half = bit_cast<unsigned char>(e) & 15;
          return static_cast<unsigned char>(up != 0 ? (other & 15) | half << 4 : (other & 240) | half);
        },
        ct::load_masked(pointers, mask), x);
    ct::store_masked(pointers, both, mask);
  }
}

template <unsigned Bits>
using unsigned_of = typename unsigned_of_size<(Bits < 8 ? 8 : Bits) / 8>::type;
template <typename U, ct::size_t N>
using vector = ct::tile<U, ct::shape<N>>;

/// x[0], y[0], x[1], y[1], ...
template <typename U, ct::size_t N>
CUDA_TILE_API auto interleaved(vector<U, N> const& x, vector<U, N> const& y) {
  using column = ct::shape<N, 1>;
  auto pairs = ct::cat(ct::reshape(x, column{}), ct::reshape(y, column{}), ct::integral_constant<1>{});
  return ct::reshape(pairs, ct::shape<2 * N>{});
}
/// x[I], x[I + 2], ...
template <int I, typename U, ct::size_t N>
CUDA_TILE_API auto every_other(vector<U, N> const& x) {
  auto column = ct::extract(ct::reshape(x, ct::shape<N / 2, 2>{}), ct::shape<N / 2, 1>{}, 0, I);
  return ct::reshape(column, ct::shape<N / 2>{});
}

/// Numbers of `Bits` bits regrouped into numbers of `Wanted` bits, each in a wide enough unsigned type.
template <unsigned Bits, unsigned Wanted, typename U, ct::size_t N>
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

/// The bits of x, whose elements have `Bits` bits, as elements of R, which have `Wanted` bits.
template <typename R, unsigned Bits, unsigned Wanted, typename T>
CUDA_TILE_API R repacked(T const& x) {
  // Not element_bitcast: there is no other type as wide as a 4-bit float.
  auto numbers = map<ct::tile_with_element_t<T, unsigned_of<Bits>>>(
      [](auto e) { return bit_cast<unsigned_of<Bits>>(e); }, x);
  return map<R>([](auto u) { return bit_cast<ct::tile_element_t<R>>(u); }, regrouped<Bits, Wanted>(numbers));
}

} // namespace cuda_tile::inline CUDA_TILE_ABI::tileir
