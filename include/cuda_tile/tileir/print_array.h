// What code uses that is translated from the Tile IR of cuda_tile::print.
#pragma once

#include "cuda_tile/print.h"
#include "cuda_tile/tileir/tiles.h"

namespace cuda_tile::inline CUDA_TILE_ABI::tileir {

/// An element as cuda_tile::print writes it; floating point values with that many digits.
template <typename E>
CUDA_TILE_API auto text_of(E x) {
  return ct::detail::element_text(x);
}
template <int Digits, typename E>
CUDA_TILE_API auto text_of(E x) {
  ct::detail::short_text text;
  ct::detail::add_floating_point(text, convert<double>(x), Digits);
  return text;
}

/// Prints a tile as cuda_tile::print does, under a title and the index of the block.
template <typename T, typename Text>
CUDA_TILE_API void print_array(char const* title, int x, int y, int z, T const& values, Text text) {
  auto const heading = [&](auto& out) {
    ct::detail::printing::add(out, title);
    ct::detail::printing::add_block(out, static_cast<unsigned>(x), static_cast<unsigned>(y),
                                    static_cast<unsigned>(z));
  };
  ct::detail::print_array(values, heading, text);
}

} // namespace cuda_tile::inline CUDA_TILE_ABI::tileir
