#include "errors.h"

#include <atomic>
#include <cstdio>

namespace cuda_tile_runtime {

namespace {

constinit thread_local cudaError_t last_error = cudaSuccess;
constinit std::atomic<cudaError_t> of_device{cudaSuccess};

struct Description {
  cudaError_t error;
  const char* name;
  const char* text;
};

constexpr Description descriptions[] = {
#define CUDA_TILE_ERROR(name, number, text) {name, #name, text},
#include "cuda_tile/runtime/errors.inc"
#undef CUDA_TILE_ERROR
};

const Description* describe(cudaError_t error) noexcept {
  for (const Description& description : descriptions)
    if (description.error == error)
      return &description;
  return nullptr;
}

} // namespace

cudaError_t note(cudaError_t error) noexcept {
  if (error != cudaSuccess)
    last_error = error;
  return error;
}

void fail_device(cudaError_t error) noexcept {
  cudaError_t none = cudaSuccess;
  of_device.compare_exchange_strong(none, error);
}

cudaError_t device_error() noexcept { return of_device.load(std::memory_order_relaxed); }

cudaError_t not_supported(const char* function, const char* instead) noexcept {
  std::fprintf(stderr, "pycuda_tile: %s is not supported on a CPU%s%s\n", function, instead ? ": " : "",
               instead ? instead : "");
  return note(cudaErrorNotSupported);
}

} // namespace cuda_tile_runtime

using namespace cuda_tile_runtime;

extern "C" {

cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error;
  if (error == cudaSuccess || error != device_error()) // the device's stays
    last_error = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() { return last_error; }

const char* cudaGetErrorName(cudaError_t error) {
  const Description* const found = describe(error);
  return found ? found->name : "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  const Description* const found = describe(error);
  return found ? found->text : "unrecognized error code";
}
}
