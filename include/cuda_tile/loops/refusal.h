// What ends a launch that must be fused but fails the test before a group of loops.
#pragma once

#include "cuda_tile/config.h"

#include <exception>

namespace cuda_tile::inline CUDA_TILE_ABI::loops {

/// pycuda_tile/tileir/loops/refusal.py parses this message.
class refused final : public std::exception {
public:
  explicit refused(char const* place) { __builtin_snprintf(text_, sizeof text_, "not fused: %s", place); }
  char const* what() const noexcept override { return text_; }

private:
  char text_[180];
};

[[noreturn, gnu::cold]] inline void refuse(char const* place) { throw refused(place); }

} // namespace cuda_tile::inline CUDA_TILE_ABI::loops
