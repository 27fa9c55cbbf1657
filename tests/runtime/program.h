// What the tests of the run time share: test cases that run one a process, and kernels that are registered as
// the driver would have them.
#pragma once

#include <cuda_runtime.h>

#include "cuda_tile/program/registration.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

inline std::map<std::string, void (*)()>& cases() {
  static std::map<std::string, void (*)()> all;
  return all;
}

#define CASE(name)                                                                                           \
  static void name();                                                                                        \
  static const bool is_case_##name = cases().emplace(#name, name).second;                                    \
  static void name()

inline int failures = 0;

#define CHECK(...)                                                                                           \
  do {                                                                                                       \
    if (!(__VA_ARGS__)) {                                                                                    \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, #__VA_ARGS__);                                          \
      ++failures;                                                                                            \
    }                                                                                                        \
  } while (0)

/// Checks what a function of the run time returns.
#define CHECK_ERROR(expected, ...)                                                                           \
  do {                                                                                                       \
    const cudaError_t wanted = expected, got = __VA_ARGS__;                                                  \
    if (wanted != got) {                                                                                     \
      std::printf("%s:%d: %s is %s, not %s\n", __FILE__, __LINE__, #__VA_ARGS__, cudaGetErrorName(got),      \
                  cudaGetErrorName(wanted));                                                                 \
      ++failures;                                                                                            \
    }                                                                                                        \
  } while (0)
#define CHECK_CUDA(...) CHECK_ERROR(cudaSuccess, __VA_ARGS__)

namespace program {

template <typename... Parameters>
constexpr unsigned count_of(void (*)(Parameters...)) {
  return sizeof...(Parameters);
}
template <typename... Parameters>
const cuda_tile_parameter* parameters_of(void (*)(Parameters...)) {
  static const cuda_tile_parameter all[] = {{sizeof(Parameters), alignof(Parameters)}..., {0, 1}};
  return all;
}

template <auto Kernel, typename... Parameters, std::size_t... I>
void run_thread(void (*)(Parameters...), void* const* arguments, std::index_sequence<I...>) {
  Kernel(*static_cast<Parameters*>(arguments[I])...);
}

template <auto Kernel>
bool register_threads(const char* name, unsigned max_threads = 0) {
  static cuda_tile_program_kernel kernel{};
  kernel.name = name;
  kernel.run_thread = [](void* const* arguments) {
    run_thread<Kernel>(Kernel, arguments, std::make_index_sequence<count_of(Kernel)>());
  };
  kernel.parameter_count = count_of(Kernel);
  kernel.parameters = parameters_of(Kernel);
  kernel.max_threads = max_threads;
  cuda_tile_register_kernel(reinterpret_cast<const void*>(Kernel), &kernel);
  return true;
}

/// A kernel of blocks, as a tile kernel is one.
template <auto Kernel>
bool register_blocks(const char* name) {
  static cuda_tile_program_kernel kernel{};
  kernel.name = name;
  kernel.tile.threads = 1;
  kernel.tile.entry = [](void* const* arguments, cuda_tile_block* block, unsigned count) {
    for (; count-- != 0; ++block->block[0])
      Kernel(*static_cast<unsigned**>(arguments[0]), block->block[0]);
    --block->block[0];
  };
  kernel.parameter_count = 1;
  static const cuda_tile_parameter parameters[] = {{sizeof(void*), alignof(void*)}};
  kernel.parameters = parameters;
  cuda_tile_register_kernel(reinterpret_cast<const void*>(Kernel), &kernel);
  return true;
}

template <typename... Parameters, typename... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared,
                   cudaStream_t stream, Arguments... arguments) {
  return [&](Parameters... values) {
    void* addresses[] = {&values..., nullptr};
    return cudaLaunchKernel(kernel, grid, block, addresses, shared, stream);
  }(arguments...);
}

} // namespace program

#define THREADS(kernel, ...)                                                                                 \
  static const bool is_registered_##kernel = program::register_threads<kernel>(#kernel, ##__VA_ARGS__)

/// Device memory with the values of a vector.
template <typename T>
T* on_device(const std::vector<T>& values) {
  T* memory = nullptr;
  CHECK_CUDA(cudaMalloc(&memory, values.size() * sizeof(T)));
  CHECK_CUDA(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}
template <typename T>
std::vector<T> to_host(const T* memory, std::size_t count) {
  std::vector<T> values(count);
  CHECK_CUDA(cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}
