// Copies to shared memory that do not wait: here they are done when the calls return.
#pragma once

#include <cuda_runtime.h>

#include <string.h>

/// Copies `bytes` less the last `zeros`, which it sets to zero.
inline void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zeros = 0) {
  memcpy(to, from, bytes - zeros);
  memset(static_cast<char*>(to) + (bytes - zeros), 0, zeros);
}
inline void __pipeline_commit() {}
inline void __pipeline_wait_prior(size_t) {}
