// Vectors of which a part exists in memory, by the processor's masked loads and stores: of any elements with
// AVX-512, of those with 4 or 8 bytes with AVX2.
#pragma once

#include "cuda_tile/platform/host_vectors.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::platform {

/// For each bool, a number of the size of E with all bits equal.
template <typename E>
inline vector<bits_of_element<E>> widen_bools(bool const* bools) {
  using narrow = vector<signed char, vector_bytes / sizeof(E)>;
  return -__builtin_convertvector(platform::load_vector<narrow>(bools), vector<bits_of_element<E>>);
}

#if defined(__AVX512F__) && defined(__AVX512BW__)

template <typename E>
inline constexpr bool has_partial_vectors = true;

typedef char byte_vector __attribute__((vector_size(vector_bytes)));
#if defined(__clang__)
using part_of_vector = byte_vector; // to what the instructions' functions take pointers
#else
using part_of_vector = char;
#endif
template <typename E>
using partial_vector = byte_vector;

/// The bytes of a vector's elements from `first` up to but not including `last`, of which there is one at
/// least.
template <typename E>
inline unsigned long long part_of(long long first, long long last) {
  constexpr long long lanes = vector_bytes / sizeof(E);
  auto const below = last >= lanes ? ~0ull : ~0ull >> (64 - static_cast<unsigned>(last) * sizeof(E));
  return first <= 0 ? below : below & ~0ull << static_cast<unsigned>(first) * sizeof(E);
}
/// Those of the elements whose bool is true.
template <typename E>
inline unsigned long long part_where(bool const* bools) {
  auto const each = platform::bit_cast<byte_vector>(platform::widen_bools<E>(bools));
  return static_cast<unsigned long long>(__builtin_ia32_cvtb2mask512(each));
}
inline bool is_empty(unsigned long long part) { return part == 0; }

template <typename E>
inline byte_vector load_masked(E const* from, unsigned long long part, byte_vector others) {
  return __builtin_ia32_loaddquqi512_mask(reinterpret_cast<part_of_vector const*>(from), others, part);
}
template <typename E>
inline void store_masked(E* to, unsigned long long part, byte_vector v) {
  __builtin_ia32_storedquqi512_mask(reinterpret_cast<part_of_vector*>(to), v, part);
}

#elif defined(__AVX2__)

template <typename E>
inline constexpr bool has_partial_vectors = sizeof(E) == 4 || sizeof(E) == 8;
template <typename E>
using partial_vector = vector<bits_of_element<E>>;

template <typename E>
inline partial_vector<E> part_of(long long first, long long last) {
  constexpr long long lanes = vector_bytes / sizeof(E);
  partial_vector<E> positions;
  for (int l = 0; l < lanes; ++l)
    positions[l] = l;
  auto const from = static_cast<bits_of_element<E>>(first > 0 ? first : 0) - partial_vector<E>{};
  auto const to = static_cast<bits_of_element<E>>(last < lanes ? last : lanes) - partial_vector<E>{};
  return (partial_vector<E>)(from <= positions) & (partial_vector<E>)(positions < to);
}
template <typename E>
inline partial_vector<E> part_where(bool const* bools) {
  return platform::widen_bools<E>(bools);
}
template <typename V>
inline bool is_empty(V part) {
  return platform::is_zero(platform::bit_cast<vector<long long>>(part));
}

template <typename E>
inline partial_vector<E> load_masked(E const* from, partial_vector<E> part, partial_vector<E> others) {
  auto const* source = reinterpret_cast<partial_vector<E> const*>(from);
  if constexpr (sizeof(E) == 4)
    return part != 0 ? __builtin_ia32_maskloadd256(source, part) : others;
  else
    return part != 0 ? __builtin_ia32_maskloadq256(source, part) : others;
}
template <typename E>
inline void store_masked(E* to, partial_vector<E> part, partial_vector<E> v) {
  auto* target = reinterpret_cast<partial_vector<E>*>(to);
  if constexpr (sizeof(E) == 4)
    __builtin_ia32_maskstored256(target, part, v);
  else
    __builtin_ia32_maskstoreq256(target, part, v);
}

#else

template <typename E>
inline constexpr bool has_partial_vectors = false;
template <typename E>
using partial_vector = vector<char>;
template <typename E>
partial_vector<E> part_of(long long first, long long last);
template <typename E>
partial_vector<E> part_where(bool const* bools);
bool is_empty(partial_vector<char> part);
template <typename E>
partial_vector<E> load_masked(E const* from, partial_vector<E> part, partial_vector<E> others);
template <typename E>
void store_masked(E* to, partial_vector<E> part, partial_vector<E> v);

#endif

template <typename E>
inline partial_vector<E> splat_element(E const& x) {
  E all[vector_bytes / sizeof(E)];
  for (E& each : all)
    each = x;
  return platform::load_vector<partial_vector<E>>(all);
}

/// Whether of the vector of elements that begins with the one of this number there are some between `first`
/// and `last`. Instructions with empty masks are very slow where no memory is mapped.
template <typename E>
inline bool has_part(unsigned i, long long first, long long last) {
  return last > i && first < static_cast<long long>(i + vector_bytes / sizeof(E)) && first < last;
}

/// Loads vectors of Count elements, of which those from `first` up to but not including `last` exist; the
/// others are `pad`.
template <unsigned Count, typename E>
inline void load_part_of_vectors(void* to, E const* from, long long first, long long last, E pad) {
  auto const pads = platform::splat_element(pad);
  for (unsigned i = 0; i < Count; i += vector_bytes / sizeof(E)) {
    auto v = pads;
    if (platform::has_part<E>(i, first, last))
      v = platform::load_masked(from + i, platform::part_of<E>(first - i, last - i), pads);
    platform::store_vector(static_cast<char*>(to) + i * sizeof(E), v);
  }
}
template <unsigned Count, typename E>
inline void store_part_of_vectors(E* to, E const* from, long long first, long long last) {
  for (unsigned i = 0; i < Count; i += vector_bytes / sizeof(E))
    if (platform::has_part<E>(i, first, last))
      platform::store_masked(to + i, platform::part_of<E>(first - i, last - i),
                             platform::load_vector<partial_vector<E>>(from + i));
}

/// The same of the elements whose bool is true.
template <unsigned Count, typename E>
inline void load_where(E* to, E const* from, bool const* bools, E pad) {
  auto const pads = platform::splat_element(pad);
  for (unsigned i = 0; i < Count; i += vector_bytes / sizeof(E)) {
    auto const part = platform::part_where<E>(bools + i);
    platform::store_vector(to + i,
                           platform::is_empty(part) ? pads : platform::load_masked(from + i, part, pads));
  }
}
template <unsigned Count, typename E>
inline void store_where(E* to, E const* from, bool const* bools) {
  for (unsigned i = 0; i < Count; i += vector_bytes / sizeof(E))
    if (auto const part = platform::part_where<E>(bools + i); !platform::is_empty(part))
      platform::store_masked(to + i, part, platform::load_vector<partial_vector<E>>(from + i));
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform
