// Runs blocks of a launch, one at a time, on the thread that asks for it.
#pragma once

#include "launch.h"

#include <memory>

namespace cuda_tile_launcher {

/// What one thread needs in order to run blocks of a launch: big stacks, and what the threads of a block
/// share.
class BlockRunner {
public:
  virtual ~BlockRunner() = default;
  /// Runs blocks until none is left to start (true), or the first one that ends after `deadline` (false).
  virtual bool run_until(std::int64_t deadline) noexcept = 0;
};

/// Null where there is no memory.
std::unique_ptr<BlockRunner> make_block_runner(Launch& launch) noexcept;
/// For kernels whose blocks have several threads (team_runner.cpp).
std::unique_ptr<BlockRunner> make_team_runner(Launch& launch);

/// Nanoseconds of a steady clock; the second is cheaper to read, and exact to a few milliseconds.
std::int64_t exact_time() noexcept;
std::int64_t coarse_time() noexcept;
constexpr std::int64_t never = INT64_MAX;

/// Sets the index of a block from its number, x fastest.
void set_block_index(cuda_tile_block& block, std::uint64_t number) noexcept;

} // namespace cuda_tile_launcher
