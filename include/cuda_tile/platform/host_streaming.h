// Stores on the host that go past the caches: for results much larger than those, whose lines would be read
// before they are written, and would be gone before somebody reads them.
#pragma once

#include "cuda_tile/config.h"

namespace cuda::tiles::platform {

/// Arrays of so many bytes are written past the caches.
inline constexpr size_t streaming_bytes = size_t(16) << 20;

/// Where this thread last loaded from an array that it may also store to: what is changed in place is in the
/// caches already.
constinit inline thread_local void const* last_loaded = nullptr;

#if defined(__SSE2__)

inline constexpr bool has_streaming_stores = true;

/// Copies `Bytes` bytes to an address that is a multiple of 16. Other threads see them in order after this
/// thread's next locked instruction, and after the launch.
template <size_t Bytes>
inline void stream(void* to, void const* from) {
  using vector = long long __attribute__((vector_size(16)));
  for (size_t i = 0; i < Bytes / 16; ++i) {
    vector value;
    __builtin_memcpy(&value, static_cast<char const*>(from) + i * 16, 16);
#if defined(__clang__)
    __builtin_nontemporal_store(value, static_cast<vector*>(to) + i);
#else
    __builtin_ia32_movntdq(static_cast<vector*>(to) + i, value);
#endif
  }
}

#else

inline constexpr bool has_streaming_stores = false;

template <size_t Bytes>
inline void stream(void* to, void const* from) {
  __builtin_memcpy(to, from, Bytes);
}

#endif

} // namespace cuda::tiles::platform
