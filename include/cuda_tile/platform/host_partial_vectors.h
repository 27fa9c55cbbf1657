// Vectors of which a part exists in memory, by the processor's masked loads and stores: of any elements with
// AVX-512, of those with 4 or 8 bytes with AVX2.
#pragma once

#include "cuda_tile/platform/host_vectors.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::platform {

#if defined(__AVX512F__) && defined(__AVX512BW__)

template <typename E>
inline constexpr bool has_partial_vectors = true;
inline constexpr bool has_masked_vectors = true;

typedef char byte_vector __attribute__((vector_size(vector_bytes)));
#if defined(__clang__)
using part_of_vector = byte_vector; // to what the instructions' functions take pointers
#else
using part_of_vector = char;
#endif
template <typename E>
using partial_vector = byte_vector;

/// Which bytes of a vector belong to its first `count` elements, of which there is one at least.
template <typename E>
inline unsigned long long part_of(long long count) {
  constexpr long long lanes = vector_bytes / sizeof(E);
  return count >= lanes ? ~0ull : ~0ull >> (64 - static_cast<unsigned>(count) * sizeof(E));
}
template <typename E>
inline byte_vector load_masked(E const* from, unsigned long long mask, byte_vector others) {
  return __builtin_ia32_loaddquqi512_mask(reinterpret_cast<part_of_vector const*>(from), others, mask);
}
template <typename E>
inline void store_masked(E* to, unsigned long long mask, byte_vector v) {
  __builtin_ia32_storedquqi512_mask(reinterpret_cast<part_of_vector*>(to), v, mask);
}

/// Which bytes of a vector belong to elements whose bool is true. Bits is an unsigned integer of their size.
template <typename Bits>
inline unsigned long long bytes_where(bool const* bools) {
  using narrow = vector<signed char, vector_bytes / sizeof(Bits)>;
  using wide = vector<Bits>;
  wide const each = -__builtin_convertvector(platform::load_vector<narrow>(bools), wide);
  return static_cast<unsigned long long>(__builtin_ia32_cvtb2mask512(platform::bit_cast<byte_vector>(each)));
}
/// Copies elements whose bool is true; of `to`, the others are `pad`.
template <typename Bits, unsigned Count, typename E>
inline void load_where(E* to, E const* from, bool const* bools, E pad) {
  constexpr unsigned lanes = vector_bytes / sizeof(E);
  E pads[lanes];
  for (E& each : pads)
    each = pad;
  for (unsigned i = 0; i < Count; i += lanes) {
    auto v = platform::load_vector<byte_vector>(pads);
    if (auto const bits = platform::bytes_where<Bits>(bools + i)) // as below
      v = platform::load_masked(from + i, bits, v);
    platform::store_vector(to + i, v);
  }
}
template <typename Bits, unsigned Count, typename E>
inline void store_where(E* to, E const* from, bool const* bools) {
  constexpr unsigned lanes = vector_bytes / sizeof(E);
  for (unsigned i = 0; i < Count; i += lanes)
    if (auto const bits = platform::bytes_where<Bits>(bools + i))
      platform::store_masked(to + i, bits, platform::load_vector<byte_vector>(from + i));
}

#else

inline constexpr bool has_masked_vectors = false;
template <typename Bits, unsigned Count, typename E>
void load_where(E* to, E const* from, bool const* bools, E pad);
template <typename Bits, unsigned Count, typename E>
void store_where(E* to, E const* from, bool const* bools);

#if defined(__AVX2__)

template <typename E>
inline constexpr bool has_partial_vectors = sizeof(E) == 4 || sizeof(E) == 8;

template <unsigned Size>
struct signed_of_size {
  using type = int;
};
template <>
struct signed_of_size<8> {
  using type = long long;
};
template <typename E>
using partial_vector = vector<typename signed_of_size<sizeof(E)>::type>;

template <typename E>
inline partial_vector<E> part_of(long long count) {
  constexpr long long lanes = vector_bytes / sizeof(E);
  partial_vector<E> positions;
  for (int l = 0; l < lanes; ++l)
    positions[l] = l;
  auto const existing = static_cast<typename signed_of_size<sizeof(E)>::type>(count < lanes ? count : lanes);
  return positions < existing - partial_vector<E>{};
}
template <typename E>
inline partial_vector<E> load_masked(E const* from, partial_vector<E> mask, partial_vector<E> others) {
  auto const* source = reinterpret_cast<partial_vector<E> const*>(from);
  if constexpr (sizeof(E) == 4)
    return mask != 0 ? __builtin_ia32_maskloadd256(source, mask) : others;
  else
    return mask != 0 ? __builtin_ia32_maskloadq256(source, mask) : others;
}
template <typename E>
inline void store_masked(E* to, partial_vector<E> mask, partial_vector<E> v) {
  auto* target = reinterpret_cast<partial_vector<E>*>(to);
  if constexpr (sizeof(E) == 4)
    __builtin_ia32_maskstored256(target, mask, v);
  else
    __builtin_ia32_maskstoreq256(target, mask, v);
}

#else

template <typename E>
inline constexpr bool has_partial_vectors = false;
template <typename E>
using partial_vector = vector<char>;
template <typename E>
partial_vector<E> part_of(long long count);
template <typename E>
partial_vector<E> load_masked(E const* from, partial_vector<E> mask, partial_vector<E> others);
template <typename E>
void store_masked(E* to, partial_vector<E> mask, partial_vector<E> v);

#endif
#endif

/// Loads vectors of Count elements, of which the first `count` exist; the others are `pad`.
template <unsigned Count, typename E>
inline void load_part_of_vectors(void* to, E const* from, long long count, E pad) {
  constexpr unsigned lanes = vector_bytes / sizeof(E);
  using V = partial_vector<E>;
  E pads[lanes];
  for (E& each : pads)
    each = pad;
  for (unsigned i = 0; i < Count; i += lanes) {
    auto v = platform::load_vector<V>(pads);
    if (count > i) // instructions with empty masks are very slow where no memory is mapped
      v = platform::load_masked(from + i, platform::part_of<E>(count - i), v);
    platform::store_vector(static_cast<char*>(to) + i * sizeof(E), v);
  }
}
template <unsigned Count, typename E>
inline void store_part_of_vectors(E* to, E const* from, long long count) {
  constexpr unsigned lanes = vector_bytes / sizeof(E);
  using V = partial_vector<E>;
  for (unsigned i = 0; i < Count; i += lanes)
    if (count > i)
      platform::store_masked(to + i, platform::part_of<E>(count - i), platform::load_vector<V>(from + i));
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform
