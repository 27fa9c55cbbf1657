// Blocks of one thread: a loop over blocks on one big stack.
#include "block_runner.h"

#include "fiber.h"

#include <ctime>

namespace cuda_tile_launcher {

namespace {

class SingleThreadRunner final : public BlockRunner {
public:
  SingleThreadRunner(Launch& launch, std::unique_ptr<Fiber> fiber)
      : launch_(launch), fiber_(std::move(fiber)),
        block_{{}, {launch.grid[0], launch.grid[1], launch.grid[2]}, 0, nullptr, nullptr, nullptr} {}
  ~SingleThreadRunner() override { block_fibers().give_back(std::move(fiber_), touched_new_memory()); }

  bool run_until(std::int64_t deadline) noexcept override {
    deadline_ = deadline;
    fiber_->start([](void* self) { static_cast<SingleThreadRunner*>(self)->run_blocks(); }, this);
    fiber_->resume();
    return !launch_.has_blocks();
  }

private:
  void run_blocks() {
    for (std::uint64_t ordinal; launch_.take(ordinal);) {
      set_block_index(block_, launch_.order(ordinal));
      launch_.kernel.entry(launch_.arguments, &block_);
      if (deadline_ != never && coarse_time() >= deadline_)
        return;
    }
  }

  Launch& launch_;
  std::unique_ptr<Fiber> fiber_;
  cuda_tile_block block_;
  std::int64_t deadline_ = never;
};

} // namespace

std::unique_ptr<BlockRunner> make_block_runner(Launch& launch) noexcept try {
  if (launch.kernel.threads > 1)
    return make_team_runner(launch);
  auto fiber = block_fibers().take();
  return fiber ? std::make_unique<SingleThreadRunner>(launch, std::move(fiber)) : nullptr;
} catch (...) {
  return nullptr;
}

std::int64_t coarse_time() noexcept {
#ifdef CLOCK_MONOTONIC_COARSE
  constexpr clockid_t clock = CLOCK_MONOTONIC_COARSE;
#else
  constexpr clockid_t clock = CLOCK_MONOTONIC;
#endif
  timespec now;
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void set_block_index(cuda_tile_block& block, std::uint64_t number) noexcept {
  block.block[0] = static_cast<unsigned>(number % block.grid[0]);
  number /= block.grid[0];
  block.block[1] = static_cast<unsigned>(number % block.grid[1]);
  block.block[2] = static_cast<unsigned>(number / block.grid[1]);
}

} // namespace cuda_tile_launcher
