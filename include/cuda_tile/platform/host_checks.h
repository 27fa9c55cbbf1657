// Checked builds on the host: the launcher checks accesses and takes reports.
#pragma once

#include "cuda_tile/launch/checks.h"
#include "cuda_tile/platform/platform.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::platform {

/// Ends the block and the launch; returns if violations of that kind are ignored, or where no kernel runs.
CUDA_TILE_API void report(cuda_tile_violation const& violation) {
  if (current_block && current_block->checks)
    current_block->checks->report(current_block, &violation);
}

/// Called before an access; does not return if the access must not happen.
CUDA_TILE_API void check_access(cuda_tile_access const& access) {
  if (current_block->checks)
    current_block->checks->access(current_block, &access);
}

CUDA_TILE_API void copy_bytes(void* to, void const* from, size_t count) { __builtin_memcpy(to, from, count); }

template <typename E>
inline bool add_overflows(E a, E b) {
  E result;
  return __builtin_add_overflow(a, b, &result);
}
template <typename E>
inline bool sub_overflows(E a, E b) {
  E result;
  return __builtin_sub_overflow(a, b, &result);
}
template <typename E>
inline bool mul_overflows(E a, E b) {
  E result;
  return __builtin_mul_overflow(a, b, &result);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform
