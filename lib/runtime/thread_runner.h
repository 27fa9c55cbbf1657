// Runs blocks of kernels that are written for one thread (SIMT): threads that wait for each other are fibers
// of one thread of the operating system, and those that wait for none are calls in a loop.
#pragma once

#include "grid_barrier.h"

#include "../block_runner.h"

namespace cuda_tile_runtime {

/// What a launch of threads is, besides its blocks.
struct Threads final : cuda_tile_launcher::RunnerMaker {
  void (*run)(void* const* arguments) = nullptr; // runs the current thread
  unsigned block[3] = {};                        // threads of a block
  unsigned shared_bytes = 0;                     // of dynamic shared memory
  GridBarrier* barrier = nullptr;                // of a cooperative launch

  unsigned count() const { return block[0] * block[1] * block[2]; }
  std::unique_ptr<cuda_tile_launcher::BlockRunner> make(cuda_tile_launcher::Launch& launch) const override;
  std::string thread_name(const cuda_tile_block& of) const override;
};

} // namespace cuda_tile_runtime
