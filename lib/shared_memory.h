// Memory that the blocks of a launch share. It is kept for later launches, since fresh pages are slow.
#pragma once

#include "cuda_tile/launch/block.h"

#include <atomic>
#include <cstddef>

namespace cuda_tile_launcher {

class SharedMemory : public cuda_tile_shared_memory {
public:
  SharedMemory() : cuda_tile_shared_memory{&get_memory} {}
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

private:
  static void* get_memory(cuda_tile_shared_memory* self, unsigned number, unsigned long long bytes,
                          unsigned long long zeroed);

  std::atomic<void*> parts_[cuda_tile_most_shared] = {};
};

} // namespace cuda_tile_launcher
