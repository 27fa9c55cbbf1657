// Comes before each file of a program in its host half: the stubs that stand for kernels.
#pragma once
#pragma GCC system_header // users' options for warnings are for their code

#include "cuda_tile/program/keywords.h"

#include "cuda_tile/program/image.h"
#include "cuda_tile/program/refused.h"

#include <cuda_runtime.h>

extern "C" const cuda_tile::program::image CUDA_TILE_IMAGE;

namespace cuda_tile::program {

/// The first half of a launch; see registration.h.
inline bool configure(dim3 grid, dim3 block = dim3(1), unsigned long shared_bytes = 0,
                      cudaStream_t stream = nullptr) {
  const unsigned blocks[] = {grid.x, grid.y, grid.z}, threads[] = {block.x, block.y, block.z};
  return cuda_tile_push_configuration(blocks, threads, shared_bytes, stream) != 0;
}

namespace { // of each file its own, which registers the kernels of its image

struct kernel_handle {
  kernel_handle(const void* handle, const char* name, const std::type_info& type) {
    register_kernel(CUDA_TILE_IMAGE, handle, name, type);
  }
};

struct variable_handle {
  variable_handle(const void* handle, const char* key) { register_variable(CUDA_TILE_IMAGE, handle, key); }
};

/// What the body of a kernel is in the host half.
template <typename F, F* Kernel, typename... Types>
struct stub {
  template <typename... Parameters>
  static void launch(Parameters&... parameters) {
    void* addresses[] = {(void*)__builtin_addressof(parameters)...,
                         nullptr}; // also of const and __restrict__
    (void)&handle;
    cuda_tile_launch_configured(reinterpret_cast<const void*>(Kernel), addresses);
  }

  static inline const kernel_handle handle{reinterpret_cast<const void*>(Kernel),
                                           kernel_name<F, Kernel, Types...>::text(),
                                           typeid(kernel_name<F, Kernel, Types...>)};
};

} // namespace

} // namespace cuda_tile::program
