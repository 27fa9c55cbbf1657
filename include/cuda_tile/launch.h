// Launches kernels from C++: on the host's cores through the CPU launcher (link cuda_tile::launcher), or on a
// GPU where nvcc compiles this. Not part of cuda_tile.h: include it in host code.
#pragma once

#include "cuda_tile.h"

#if CUDA_TILE_ON_CUDA
#include <cuda_runtime_api.h>
#else
#include "cuda_tile/launch/run_blocks.h"
#include "launcher.h"
#endif

#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace cuda_tile::inline CUDA_TILE_ABI {

/// The number of blocks along x, y and z.
struct grid {
  unsigned x, y, z;

  constexpr grid(unsigned blocks_x, unsigned blocks_y = 1, unsigned blocks_z = 1)
      : x(blocks_x), y(blocks_y), z(blocks_z) {}
};

/// Thrown when a launch is refused or fails; what() says why.
struct launch_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

#if CUDA_TILE_ON_CUDA

/// Launches `kernel` on `blocks` in a stream. Arguments are converted to the kernel's parameters; pointers
/// must point to GPU memory. As with any CUDA launch, the kernel may still be running when this returns.
template <typename... Parameters, typename... Arguments>
void launch_on(cudaStream_t stream, void (*kernel)(Parameters...), grid blocks, Arguments&&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments),
                "pass as many arguments as the kernel has parameters");
  kernel<<<dim3(blocks.x, blocks.y, blocks.z), CUDA_TILE_BLOCK_THREADS, 0, stream>>>(
      static_cast<Parameters>(std::forward<Arguments>(arguments))...);
  if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess)
    throw launch_error(cudaGetErrorString(status));
}

/// launch_on() in the default stream.
template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), grid blocks, Arguments&&... arguments) {
  launch_on(nullptr, kernel, blocks, std::forward<Arguments>(arguments)...);
}

#else

namespace detail {

/// Storage for an argument during a launch: a reference to a variable that the kernel may change itself,
/// otherwise a copy.
template <typename Parameter>
using kept_argument = std::conditional_t<std::is_lvalue_reference_v<Parameter> &&
                                             !std::is_const_v<std::remove_reference_t<Parameter>>,
                                         Parameter, std::remove_cvref_t<Parameter>>;

/// A cuda_tile_entry; the kernel itself follows the arguments.
template <typename... Parameters>
void run_kernel(void* const* arguments, cuda_tile_block* block, unsigned count) {
  const auto kernel = *static_cast<void (**)(Parameters...)>(arguments[sizeof...(Parameters)]);
  run_blocks(*block, count, [&] {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      kernel(*static_cast<std::remove_cvref_t<Parameters>*>(arguments[I])...);
    }(std::index_sequence_for<Parameters...>{});
  });
}

} // namespace detail

/// Runs `kernel` on `blocks` and returns when it is done. Arguments are converted to the kernel's parameters.
/// Throws launch_error. May be called from many threads at once; cuda_tile_set_num_workers() in launcher.h
/// sets how many cores are used.
template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), grid blocks, Arguments&&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments),
                "pass as many arguments as the kernel has parameters");
  std::tuple<detail::kept_argument<Parameters>...> values(
      static_cast<detail::kept_argument<Parameters>>(std::forward<Arguments>(arguments))...);
  cuda_tile_kernel description{};
  description.name = "";
  description.entry = &detail::run_kernel<Parameters...>;
  description.threads = cuda::tiles::platform::block_threads;
  description.scratch_bytes = static_cast<unsigned>(cuda::tiles::platform::scratch_limit);
  const unsigned sizes[3] = {blocks.x, blocks.y, blocks.z};
  char error[1024];
  const int status = std::apply(
      [&](auto&... value) {
        void* const addresses[] = {const_cast<void*>(static_cast<void const*>(&value))..., &kernel};
        return cuda_tile_launch(&description, addresses, sizes, 0, nullptr, error, sizeof(error));
      },
      values);
  if (status != cuda_tile_success)
    throw launch_error(error);
}

#endif

} // namespace cuda_tile::inline CUDA_TILE_ABI
