// The barrier of a cooperative launch.
#pragma once

#include "../launch.h"

#include <condition_variable>
#include <mutex>

namespace cuda_tile_runtime {

/// Where the blocks of a cooperative launch meet.
class GridBarrier {
public:
  explicit GridBarrier(std::uint64_t blocks) : expected_(blocks) {}
  /// Waits for all blocks that have not ended. Returns false if the launch ends meanwhile.
  bool wait(const cuda_tile_launcher::Launch& launch);
  /// Called by a block that ends.
  void leave();

private:
  void pass_if_complete();

  std::mutex mutex_;
  std::condition_variable passed_;
  std::uint64_t expected_, arrived_ = 0, rounds_ = 0;
};

} // namespace cuda_tile_runtime
