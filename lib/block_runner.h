// Runs blocks of a launch, one at a time, on the calling thread.
#pragma once

#include "launch.h"

#include <memory>

namespace cuda_tile_launcher {

/// What one thread needs to run blocks of a launch: large stacks, and the state that a block's threads share.
class BlockRunner {
public:
  virtual ~BlockRunner() = default;
  /// Runs blocks until none is left to start (returns true) or one ends after `deadline` (returns false).
  virtual bool run_until(std::int64_t deadline) noexcept = 0;
};

/// Returns null if memory runs out.
std::unique_ptr<BlockRunner> make_block_runner(Launch& launch) noexcept;
/// For kernels whose blocks have several threads (team_runner.cpp).
std::unique_ptr<BlockRunner> make_team_runner(Launch& launch);

/// Nanoseconds of a steady clock. The second function is cheaper, and accurate to a few milliseconds.
std::int64_t exact_time() noexcept;
std::int64_t coarse_time() noexcept;
constexpr std::int64_t never = INT64_MAX;

/// Sets the index of a block from its number; x varies fastest.
void set_block_index(cuda_tile_block& block, std::uint64_t number) noexcept;

} // namespace cuda_tile_launcher
