// What the translator is told of a kernel: its function, and the types of its parameters.
#pragma once

#include "cuda_tile/core/signature.h"

namespace cuda_tile::record {

template <typename... Parameters>
struct kernel {
  void (*function)(Parameters...);
  unsigned codes[sizeof...(Parameters) + 1]; // one more, since an array cannot be empty
};
template <typename... Parameters>
constexpr kernel<Parameters...> describe(void (*function)(Parameters...)) {
  return {function, {parameter_code<Parameters>..., 0}};
}

} // namespace cuda_tile::record

/// Names the kernel of a name expression (the rest of the arguments) as cuda_tile_kernel_<i>.
#define CUDA_TILE_ENTRY(i, ...)                                                                              \
  extern "C" __attribute__((used)) constexpr auto cuda_tile_kernel_##i =                                     \
      ::cuda_tile::record::describe(::cuda_tile::kernel_of(__VA_ARGS__));
