// cuda_tile::print(t) and print("label", t) show a tile as NumPy shows an array, with its type and its block.
// Each block prints once, regardless of how many threads share it; all of its threads must call print.
#pragma once

#include "cuda_tile.h"

#if defined(__CUDACC_TILE__)

namespace cuda_tile {

template <typename... Arguments>
__tile__ void print(Arguments const&...) {
  static_assert(
      sizeof...(Arguments) == 99,
      "cuda_tile::print is for the targets cpu, emulated and simt: NVIDIA's tile compiler takes tiles "
      "in printf itself, as in printf(\"%f\\n\", t)");
}

} // namespace cuda_tile

#else

#include CUDA_TILE_PRINTING

namespace cuda_tile::inline CUDA_TILE_ABI {

/// Prints a tile or a scalar, under a label.
template <typename T>
CUDA_TILE_API void print(char const* label, T const& x) {
  static_assert(
      cuda::tiles::tile_like<T>,
      "cuda_tile::print takes a tile or a scalar, and before it a label if there is one: of a span or "
      "view, print the tile that is loaded");
  if constexpr (cuda::tiles::tile_like<T>)
    cuda::tiles::detail::print(label, x);
}
template <typename T>
CUDA_TILE_API void print(T const& x) {
  cuda_tile::print(nullptr, x);
}

} // namespace cuda_tile::inline CUDA_TILE_ABI

#endif
