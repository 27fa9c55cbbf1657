// How functions of the driver's interface are called: in a context, once the driver is initialized, with the
// run time's errors as the driver's.
#pragma once

#include "cuda_tile/runtime/driver.h"

#include "errors.h"

#include <atomic>
#include <vector>

namespace cuda_tile_runtime {

/// Whether cuInit was called.
std::atomic<bool>& driver_is_initialized();
/// The contexts of the calling thread, the current one last.
std::vector<CUcontext>& current_contexts();

/// Most errors of the run time are the driver's, by number.
CUresult result_of(cudaError_t error);

/// Calls `function`, once the driver is initialized; its errors do not become the run time's last error.
template <typename Function>
CUresult of_driver(Function function) {
  if (!driver_is_initialized())
    return CUDA_ERROR_NOT_INITIALIZED;
  const cudaError_t before = cudaPeekAtLastError();
  const CUresult result = result_of(function());
  if (before == cudaSuccess && result != CUDA_SUCCESS)
    cudaGetLastError();
  return result;
}

/// The same, in a current context.
template <typename Function>
CUresult in_context(Function function) {
  if (driver_is_initialized() && (current_contexts().empty() || !current_contexts().back()))
    return CUDA_ERROR_INVALID_CONTEXT;
  return of_driver(function);
}

/// The same, where `function` may throw a Refusal.
template <typename Function>
CUresult in_context_and_call(Function function) {
  return in_context([&] { return call(function); });
}

} // namespace cuda_tile_runtime
