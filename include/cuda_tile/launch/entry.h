// The entry point of a kernel on the host: unpacks arguments, calls the kernel, and describes it to the
// launcher.
#pragma once

#include "cuda_tile/config.h"
#include "cuda_tile/core/signature.h"
#include "cuda_tile/core/traits.h"
#include "cuda_tile/launch/block.h"
#include "cuda_tile/launch/independence.h"
#include "cuda_tile/launch/run_blocks.h"

namespace cuda_tile::inline CUDA_TILE_ABI {

/// How a kernel sees a launcher's argument: as the value, or as the object that a reference refers to, since
/// its address is passed.
template <typename Parameter>
struct argument {
  static auto& at(void* place) {
    return *static_cast<cuda::tiles::detail::remove_cvref_t<Parameter>*>(place);
  }
};
template <typename Parameter>
struct argument<Parameter&> {
  static Parameter& at(void* place) { return **static_cast<Parameter**>(place); }
};

template <auto Kernel>
struct entry;

template <typename... Parameters, void (*Kernel)(Parameters...)>
struct entry<Kernel> {
  static constexpr unsigned parameter_count = sizeof...(Parameters);
  // One extra element, since an array cannot be empty.
  static constexpr unsigned parameters[] = {parameter_code<Parameters>..., 0};

  static void run(void* const* arguments, cuda_tile_block* block, unsigned count) {
    run_blocks(*block, count,
               [&] { call(arguments, cuda::tiles::detail::make_indices<sizeof...(Parameters)>{}); });
  }

private:
  template <cuda::tiles::size_t... Is>
  static void call([[maybe_unused]] void* const* arguments, cuda::tiles::detail::indices<Is...>) {
    Kernel(argument<Parameters>::at(arguments[Is])...);
  }
};

template <auto Kernel>
constexpr cuda_tile_kernel describe(char const* name) {
  return {name,
          &entry<Kernel>::run,
          cuda::tiles::platform::block_threads,
          static_cast<unsigned>(cuda::tiles::platform::scratch_limit),
          entry<Kernel>::parameter_count,
          entry<Kernel>::parameters,
          are_independent<Kernel>};
}

} // namespace cuda_tile::inline CUDA_TILE_ABI

/// Exports the kernel named by a name expression (the rest of the arguments) as cuda_tile_kernel_<i>.
#define CUDA_TILE_ENTRY(i, ...) CUDA_TILE_NAMED_ENTRY(i, #__VA_ARGS__, __VA_ARGS__)
/// The same for a kernel that messages call by another name.
#define CUDA_TILE_NAMED_ENTRY(i, name, ...)                                                                  \
  extern "C" __attribute__((visibility("default"))) const cuda_tile_kernel cuda_tile_kernel_##i =            \
      cuda_tile::describe<cuda_tile::kernel_of(__VA_ARGS__)>(name);
