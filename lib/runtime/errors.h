// The errors of the run time's functions: that of each thread's last call, and the one that ends all work.
#pragma once

#include "cuda_tile/runtime/api.h"

#include <new>
#include <system_error>

namespace cuda_tile_runtime {

/// Makes an error the thread's last one, unless it is a success; returns it.
cudaError_t note(cudaError_t error) noexcept;

/// The error of a kernel that failed. As on a GPU, all later calls return it: there is no going on. It does
/// not become the last error of a thread before its next call.
void fail_device(cudaError_t error) noexcept;
cudaError_t device_error() noexcept;

/// Thrown where a call ends with an error.
struct Refusal {
  cudaError_t error;
};

/// Calls `function` for a function of the interface, unless a kernel has failed; notes the error that it
/// returns.
template <typename Function>
cudaError_t call(Function function) noexcept {
  if (const cudaError_t error = device_error(); error != cudaSuccess)
    return note(error);
  try {
    return note(function());
  } catch (const Refusal& refusal) {
    return note(refusal.error);
  } catch (const std::bad_alloc&) {
    return note(cudaErrorMemoryAllocation);
  } catch (const std::system_error&) { // no thread could be started
    return note(cudaErrorOperatingSystem);
  }
}

/// Gives a caller the value that it asked for.
template <typename T>
cudaError_t give(T* to, T value) {
  if (!to)
    return cudaErrorInvalidValue;
  *to = value;
  return cudaSuccess;
}

/// Notes cudaErrorNotSupported, after a line on standard error that names the function.
cudaError_t not_supported(const char* function, const char* instead = nullptr) noexcept;

} // namespace cuda_tile_runtime
