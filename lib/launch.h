// The state of one launch, shared by the threads that work on it.
#pragma once

#include "block_order.h"
#include "cpu_placement.h"
#include "launcher.h"
#include "shared_memory.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace cuda_tile_launcher {

class BlockRunner;
class CheckedLaunch;
struct Launch;

/// Makes the runners of launches of another kind than block_runner.h has.
struct RunnerMaker {
  virtual std::unique_ptr<BlockRunner> make(Launch& launch) const = 0;
  /// ", thread (0, 0, 0)" of a block whose threads have indices; otherwise nothing.
  virtual std::string thread_name(const cuda_tile_block& block) const = 0;
};

struct Launch {
  Launch(const cuda_tile_kernel& launched, void* const* parameters, const unsigned* blocks,
         std::uint64_t count, std::uint64_t schedule_seed)
      : kernel(launched), arguments(parameters), grid{blocks[0], blocks[1], blocks[2]}, block_count(count),
        seed(schedule_seed), order(count, schedule_seed) {}

  const cuda_tile_kernel& kernel;
  void* const* const arguments;
  const unsigned grid[3];
  const std::uint64_t block_count;
  const std::uint64_t seed;
  const BlockOrder order;

  /// Whether a block is left to start.
  bool has_blocks() const { return !is_stopped() && started.load(std::memory_order_relaxed) < block_count; }

  /// How many blocks have started, or more once all have.
  std::uint64_t started_blocks() const { return started.load(std::memory_order_relaxed); }

  bool is_stopped() const { return stopped.load(std::memory_order_relaxed); }

  /// Takes the next block to start; `ordinal` is its place in the order. Returns false if none is left.
  bool take(std::uint64_t& ordinal) {
    std::uint64_t end;
    return take(1, ordinal, end);
  }

  /// Takes the next blocks to start, [begin, end): up to `wanted`, but fewer near the end of the launch so
  /// that all threads finish at about the same time. Returns false if none is left.
  bool take(std::uint64_t wanted, std::uint64_t& begin, std::uint64_t& end) {
    if (!has_blocks())
      return false;
    if (wanted > 1) {
      const std::uint64_t left = block_count - std::min(block_count, started.load(std::memory_order_relaxed));
      wanted = std::clamp<std::uint64_t>(left / (4 * most_threads), 1, wanted);
    }
    begin = started.fetch_add(wanted, std::memory_order_relaxed);
    end = std::min(begin + wanted, block_count);
    return begin < block_count;
  }

  /// Lets no further block start.
  void stop() { stopped.store(true, std::memory_order_relaxed); }

  /// Ends the launch with an error. If there are several, the error of the block that started first is kept,
  /// which does not depend on how the threads were scheduled.
  void fail(int failure, std::uint64_t ordinal, std::string text) {
    fail(failure, ordinal, std::move(text), [] {});
  }
  /// `keep()` records more about the error if it is kept.
  template <typename Keep>
  void fail(int failure, std::uint64_t ordinal, std::string text, Keep keep) {
    std::lock_guard lock(result_mutex);
    stop();
    if (status != cuda_tile_success && failed_ordinal < ordinal)
      return;
    status = failure;
    failed_ordinal = ordinal;
    message = std::move(text);
    keep();
  }

  /// "kernel 'k', block (0, 0, 0): "; the kernel is omitted if it has no name, as with cuda_tile::launch.
  std::string place(const cuda_tile_block& block, bool with_thread = true) const {
    const unsigned (&at)[3] = block.block;
    const std::string name = *kernel.name ? "kernel '" + std::string(kernel.name) + "', " : "";
    return name + "block (" + std::to_string(at[0]) + ", " + std::to_string(at[1]) + ", " +
           std::to_string(at[2]) + ")" + (maker && with_thread ? maker->thread_name(block) : "") + ": ";
  }

  /// Whether the kernel threw an exception in this thread of a block, which ends the launch with an error.
  bool has_thrown(const cuda_tile_block& block, std::uint64_t ordinal) {
    if (!block.thrown[0])
      return false;
    fail(cuda_tile_exception, ordinal, place(block) + "an exception left the kernel: " + block.thrown);
    return true;
  }

  /// Asks the user whether to continue. Does nothing on threads other than the launching one.
  void ask();
  /// Whether running blocks are abandoned where they are.
  bool is_given_up() const { return given_up.load(std::memory_order_relaxed); }

  SharedMemory shared;
  CheckedLaunch* checked = nullptr;   // set in a checked launch
  const RunnerMaker* maker = nullptr; // set in a launch of a kind of its own
  std::atomic<const void*> fault_address{nullptr};
  std::atomic<int> reason{0};     // of a fault: what KernelGuard::stop() was given, or minus the signal
  int (*poll)() = nullptr;        // asks the user
  bool is_interrupted = false;    // by the user
  std::uint64_t most_threads = 1; // limit on the threads at work; set before helpers join
  const pthread_t thread = pthread_self(); // the launching thread

  // The result, which may be read once the last helper is done.
  int status = cuda_tile_success;
  std::string message;

  // Guarded by the pool's mutex.
  std::atomic<unsigned> helpers{0}; // pool threads at work on this launch; also read without the mutex
  unsigned max_helpers = 0;         // limit on the helpers that join
  std::uint64_t seen_started = 0;   // started_blocks() when help_long_launches() last looked,
  unsigned times_alike = 0;         // and how often it has found that number again
  bool is_waiting = false;          // the launching thread waits for the helpers
  std::int64_t called_at = 0;       // when the launching thread was woken, if it slept
  Affinity affinity;                // of the launching thread, until it is awake
  bool orphaned = false;            // this process is the child of a fork during the launch
  std::condition_variable helpers_done;

private:
  std::mutex result_mutex;
  std::uint64_t failed_ordinal = 0;
  std::int64_t stopped_at = 0; // when the launching thread noticed the stop
  std::atomic<bool> given_up{false};
  // All threads read and write these for each block, so they have a cache line of their own.
  alignas(64) std::atomic<std::uint64_t> started{0};
  std::atomic<bool> stopped{false};
};

} // namespace cuda_tile_launcher
