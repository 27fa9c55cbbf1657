// Functions of C on memory. The length of a copy may be unknown when a kernel is compiled.
#pragma once

#include "cuda_tile/platform/record_calls.h"

namespace cuda_tile::record {

using size = decltype(sizeof 0);
constexpr size chunk = 1024;
using bytes = tile<unsigned char, chunk>;

/// The bytes of one chunk that are among the first n.
inline handle chunk_of(void const* from, long long at, size n) {
  return effect<load_view<bytes, bytes, 0, -1, 0>, handle>(from, at, n, 1ll);
}
inline void set_chunk(void* to, long long at, size n, handle value) {
  effect<store_view<bytes, bytes, 0, -1, 0>, void>(to, at, n, 1ll, value);
}
inline long long chunks_of(size n) { return static_cast<long long>((n + (chunk - 1)) / chunk); }

} // namespace cuda_tile::record

inline void* memcpy(void* to, void const* from, decltype(sizeof 0) n) noexcept {
  using namespace cuda_tile::record;
  if (__builtin_constant_p(n))
    return __builtin_memcpy(to, from, n);
  for (long long at = 0; at < chunks_of(n); ++at)
    set_chunk(to, at, n, chunk_of(from, at, n));
  return to;
}

inline void* memmove(void* to, void const* from, decltype(sizeof 0) n) noexcept {
  using namespace cuda_tile::record;
  if (__builtin_constant_p(n))
    return __builtin_memmove(to, from, n);
  if (to <= from) // a chunk is read before it is written
    return memcpy(to, from, n);
  for (long long at = chunks_of(n) - 1; at >= 0; --at)
    set_chunk(to, at, n, chunk_of(from, at, n));
  return to;
}

inline void* memset(void* to, int value, decltype(sizeof 0) n) noexcept {
  using namespace cuda_tile::record;
  if (__builtin_constant_p(n) && __builtin_constant_p(value))
    return __builtin_memset(to, value, n);
  handle const filled = pure<tile_of_element<bytes>, handle>(static_cast<unsigned char>(value));
  for (long long at = 0; at < chunks_of(n); ++at)
    set_chunk(to, at, n, filled);
  return to;
}

inline void __trap() noexcept {
  cuda_tile::record::effect<cuda_tile::record::asserted, void>(false, "__trap() was called");
}
