// Launches of a program's kernels.
#pragma once

#include "cuda_tile/program/registration.h"
#include "cuda_tile/runtime/types.h"

#include <atomic>
#include <string>
#include <vector>

namespace cuda_tile_runtime {

struct Configuration {
  unsigned grid[3], block[3];
  std::size_t shared_bytes;
  cudaStream_t stream;
  bool is_cooperative;
};

/// Checks a launch and submits it to its stream.
cudaError_t launch(const void* handle, const Configuration& configuration, void** arguments);

/// A kernel, and what is set of it.
struct Kernel {
  explicit Kernel(const cuda_tile_program_kernel& of);

  const cuda_tile_program_kernel& compiled;
  const std::string name; // as the source has it
  std::atomic<unsigned> most_dynamic_shared;

  unsigned most_threads() const; // of a block
};

/// Null if `handle` is not that of a kernel. Kernels stay as long as what they are part of.
Kernel* kernel_of(const void* handle);
void forget_kernels(const std::vector<const void*>& handles);

/// Where a kernel's arguments lie in one piece of memory, and where the last one ends.
std::vector<std::size_t> parameter_offsets(const cuda_tile_program_kernel& kernel);

/// How many blocks of a kernel a multiprocessor takes at once.
unsigned occupancy(const Kernel& kernel, std::size_t threads, std::size_t shared_bytes);

} // namespace cuda_tile_runtime
