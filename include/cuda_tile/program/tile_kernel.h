// Runs blocks of a tile kernel of a program. Included by cuda_tile.h in a program's device half.
#pragma once

#include "cuda_tile/launch/run_blocks.h"
#include "cuda_tile/program/device.h"

namespace cuda_tile::program {

namespace {

template <typename... Parameters, void (*Kernel)(Parameters...), typename... Types>
void tile_kernel<void(Parameters...), Kernel, Types...>::run(void* const* arguments, cuda_tile_block* block,
                                                             unsigned count) {
  run_blocks(*block, count, [&] {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      Kernel(*static_cast<std::remove_reference_t<Parameters>*>(arguments[I])...);
    }(std::index_sequence_for<Parameters...>{});
  });
}

} // namespace

} // namespace cuda_tile::program
