// Stores on the host that bypass the caches, for results much larger than these: cached lines would be read
// before they are written, and evicted before anything reads them.
#pragma once

#include "cuda_tile/platform/host_vectors.h"
#include "cuda_tile/platform/platform.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::platform {

/// Arrays of at least this many bytes are written past the caches.
inline constexpr size_t streaming_bytes = size_t(16) << 20;

/// Whether such an array is worth it whose rows begin and end `ends` bytes apart (all distances or-ed): with
/// whole cache lines. Of lines that are not written as a whole, the rest would have to be read from memory.
inline bool is_worth_streaming(void const* origin, size_t bytes, size_t ends) {
  return bytes >= streaming_bytes && ends % 64 == 0 && reinterpret_cast<size_t>(origin) % 16 == 0;
}

/// Notes that a block loads from an array that it may also store to: data changed in place is in the caches
/// already. The note is in the block's context, since another thread-local variable would cost a call.
inline void note_load(void const* from) {
  if (current_block)
    current_block->last_loaded = from;
}
inline bool was_just_loaded(void const* from) { return current_block && current_block->last_loaded == from; }

#if defined(__SSE2__)

inline constexpr bool has_streaming_stores = true;

template <typename V>
inline void stream_vector(V* to, V value) {
#if defined(__clang__)
  __builtin_nontemporal_store(value, to);
#elif defined(__AVX512F__) && defined(__AVX512BW__)
  if constexpr (sizeof(V) == 64)
    __builtin_ia32_movntdq512(to, value);
  else
    __builtin_ia32_movntdq(to, value);
#elif defined(__AVX__)
  if constexpr (sizeof(V) == 32)
    __builtin_ia32_movntdq256(to, value);
  else
    __builtin_ia32_movntdq(to, value);
#else
  __builtin_ia32_movntdq(to, value);
#endif
}

template <typename V, size_t Bytes>
inline void stream_vectors(void* to, void const* from) {
  for (size_t i = 0; i < Bytes; i += sizeof(V))
    platform::stream_vector(reinterpret_cast<V*>(static_cast<char*>(to) + i),
                            platform::load_vector<V>(static_cast<char const*>(from) + i));
}

/// Copies `Bytes` bytes, a multiple of 64, to an address that is a multiple of 16, in whole vectors if it is
/// aligned to them. Other threads see them in order after this thread's next locked instruction, and after
/// the launch.
template <size_t Bytes>
inline void stream(void* to, void const* from) {
  using narrow = long long __attribute__((vector_size(16)));
  if (reinterpret_cast<size_t>(to) % vector_bytes == 0)
    platform::stream_vectors<vector<long long>, Bytes>(to, from);
  else
    platform::stream_vectors<narrow, Bytes>(to, from);
}

#else

inline constexpr bool has_streaming_stores = false;

template <size_t Bytes>
inline void stream(void* to, void const* from) {
  __builtin_memcpy(to, from, Bytes);
}

#endif

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform
