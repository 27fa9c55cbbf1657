#include "grid_barrier.h"

#include <chrono>

namespace cuda_tile_runtime {

bool GridBarrier::wait(const cuda_tile_launcher::Launch& launch) {
  std::unique_lock lock(mutex_);
  const std::uint64_t round = rounds_;
  ++arrived_;
  pass_if_complete();
  while (rounds_ == round) {
    if (launch.is_stopped())
      return false;
    passed_.wait_for(lock, std::chrono::milliseconds(20));
  }
  return true;
}

void GridBarrier::leave() {
  std::lock_guard lock(mutex_);
  --expected_;
  pass_if_complete();
}

void GridBarrier::pass_if_complete() {
  if (arrived_ != expected_ || arrived_ == 0)
    return;
  arrived_ = 0;
  ++rounds_;
  passed_.notify_all();
}

} // namespace cuda_tile_runtime
