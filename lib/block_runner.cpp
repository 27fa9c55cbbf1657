// Runs blocks of one thread in a loop, on one large stack.
#include "block_runner.h"

#include "checked_launch.h"
#include "fiber.h"
#include "kernel_guard.h"

#include <algorithm>
#include <ctime>
#include <optional>

namespace cuda_tile_launcher {

namespace {

// Blocks are taken one at a time, or in chunks where they are so short that the cost of taking one matters.
constexpr std::int64_t chunk_time = 20'000; // ns
constexpr std::uint64_t largest_chunk = 256;

std::int64_t nanoseconds(clockid_t clock) noexcept {
  timespec now;
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// Advances to the index of the next block; x varies fastest.
void next_block_index(cuda_tile_block& block) noexcept {
  if (++block.block[0] != block.grid[0])
    return;
  block.block[0] = 0;
  if (++block.block[1] != block.grid[1])
    return;
  block.block[1] = 0;
  ++block.block[2];
}

/// Orders a kernel's streaming stores before anything that this thread does next.
void finish_streaming_stores() noexcept {
#ifdef __SSE__
  __builtin_ia32_sfence();
#endif
}

class SingleThreadRunner final : public BlockRunner {
public:
  SingleThreadRunner(Launch& launch, std::unique_ptr<Fiber> fiber)
      : launch_(launch), guard_(launch), fiber_(std::move(fiber)), block_{} {
    std::copy(launch.grid, launch.grid + 3, block_.grid);
    block_.shared = &launch.shared;
    if (launch.checked) {
      checked_.emplace(launch, *fiber_);
      block_.launcher = &*checked_;
      block_.checks = &CheckedBlock::functions;
    }
  }
  ~SingleThreadRunner() override { block_fibers().give_back(std::move(fiber_), touched_new_memory()); }

  bool run_until(std::int64_t deadline) noexcept override {
    deadline_ = deadline;
    fiber_->start([](void* self) { static_cast<SingleThreadRunner*>(self)->run_blocks(); }, this);
    const bool finished = guard_.resume(*fiber_, block_);
    if (!finished) { // a check, a fault or the user ended the block, and with it the launch
      guard_.report(ordinal_ + (block_.block[0] - first_x_));
      if (checked_)
        checked_->end();
      fiber_->abandon();
      finish_streaming_stores();
    }
    return !launch_.has_blocks();
  }

private:
  void run_blocks() {
    std::uint64_t chunk = 1;
    for (std::uint64_t begin, end; launch_.take(chunk, begin, end);) {
      if (end == launch_.block_count) { // this is the last chunk, so there is no need to measure it
        run_range(begin, end);
        break;
      }
      const std::int64_t start = exact_time();
      run_range(begin, end);
      const std::int64_t now = exact_time();
      if (now - start < chunk_time && chunk < largest_chunk)
        chunk *= 2;
      if (now >= deadline_)
        break;
    }
    finish_streaming_stores();
  }

  void run_range(std::uint64_t begin, std::uint64_t end) {
    const bool one_by_one = checked_ || launch_.seed != 0;
    set_block_index(block_, launch_.order(begin));
    for (std::uint64_t ordinal = begin;;) {
      if (checked_)
        checked_->begin(launch_.order(ordinal), ordinal);
      const unsigned x = first_x_ = block_.block[0];
      ordinal_ = ordinal;
      const auto count =
          static_cast<unsigned>(one_by_one ? 1 : std::min<std::uint64_t>(end - ordinal, block_.grid[0] - x));
      launch_.kernel.entry(launch_.arguments, &block_, count);
      launch_.has_thrown(block_, ordinal + (block_.block[0] - x));
      if (checked_)
        checked_->end();
      ordinal += count;
      if (ordinal == end || launch_.is_stopped())
        return;
      if (launch_.seed == 0)
        next_block_index(block_);
      else
        set_block_index(block_, launch_.order(ordinal));
    }
  }

  Launch& launch_;
  KernelGuard guard_;
  std::unique_ptr<Fiber> fiber_;
  std::optional<CheckedBlock> checked_;
  cuda_tile_block block_;
  std::int64_t deadline_ = never;
  // The blocks of the last call of the kernel start here.
  std::uint64_t ordinal_ = 0;
  unsigned first_x_ = 0;
};

} // namespace

std::unique_ptr<BlockRunner> make_block_runner(Launch& launch) noexcept try {
  if (launch.maker)
    return launch.maker->make(launch);
  if (launch.kernel.threads > 1)
    return make_team_runner(launch);
  auto fiber = block_fibers().take();
  return fiber ? std::make_unique<SingleThreadRunner>(launch, std::move(fiber)) : nullptr;
} catch (...) {
  return nullptr;
}

void Launch::ask() {
  constexpr std::int64_t patience = 1'000'000'000, patience_after_failure = 10 * patience; // ns
  if (!pthread_equal(thread, pthread_self()))
    return;
  const bool is_asked_again = is_interrupted;
  if (poll && poll()) {
    is_interrupted = true;
    stop();
    if (is_asked_again)
      given_up.store(true);
  }
  if (!is_stopped())
    return;
  const std::int64_t now = coarse_time();
  if (stopped_at == 0)
    stopped_at = now;
  if (now - stopped_at > (is_interrupted ? patience : patience_after_failure))
    given_up.store(true);
}

std::int64_t exact_time() noexcept { return nanoseconds(CLOCK_MONOTONIC); }

std::int64_t coarse_time() noexcept {
#ifdef CLOCK_MONOTONIC_COARSE
  return nanoseconds(CLOCK_MONOTONIC_COARSE);
#else
  return nanoseconds(CLOCK_MONOTONIC);
#endif
}

void set_block_index(cuda_tile_block& block, std::uint64_t number) noexcept {
  block.block[0] = static_cast<unsigned>(number % block.grid[0]);
  number /= block.grid[0];
  block.block[1] = static_cast<unsigned>(number % block.grid[1]);
  block.block[2] = static_cast<unsigned>(number / block.grid[1]);
}

} // namespace cuda_tile_launcher
