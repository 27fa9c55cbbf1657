// Blocks of several threads, for the emulated target: the threads of a block are fibers of one OS thread,
// which take turns from barrier to barrier. So their order is the same in each run, or shuffled by the seed.
#include "block_runner.h"
#include "checked_launch.h"
#include "fiber.h"

#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace cuda_tile_launcher {

namespace {

constexpr std::size_t scratch_alignment = 1024; // no kernel asks for more

/// "0-3, 7" for the threads whose flag is `wanted`.
std::string ranges(const std::vector<char>& flags, char wanted) {
  std::string text;
  for (std::size_t first = 0; first < flags.size(); ++first) {
    if (flags[first] != wanted)
      continue;
    std::size_t last = first;
    while (last + 1 < flags.size() && flags[last + 1] == wanted)
      ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(first);
    if (last != first)
      text += "-" + std::to_string(last);
    first = last;
  }
  return text;
}

class TeamRunner final : public BlockRunner {
public:
  explicit TeamRunner(Launch& launch)
      : launch_(launch), threads_(launch.kernel.threads), order_(launch.kernel.threads),
        ended_(launch.kernel.threads), scratch_(launch.kernel.scratch_bytes + scratch_alignment) {}
  ~TeamRunner() override {
    const bool trim = touched_new_memory();
    for (Thread& thread : threads_)
      if (thread.fiber)
        thread_fibers().give_back(std::move(thread.fiber), trim);
  }

  bool prepare() {
    void* aligned = scratch_.data();
    std::size_t room = scratch_.size();
    std::align(scratch_alignment, launch_.kernel.scratch_bytes, aligned, room);
    for (unsigned i = 0; i != threads_.size(); ++i) {
      threads_[i].launch = &launch_;
      threads_[i].block = {
          {}, {launch_.grid[0], launch_.grid[1], launch_.grid[2]}, i, aligned, barrier, nullptr, nullptr};
      threads_[i].fiber = thread_fibers().take();
      if (!threads_[i].fiber)
        return false;
      threads_[i].block.launcher = threads_[i].fiber.get();
      if (launch_.checked) {
        threads_[i].checked.emplace(launch_, *threads_[i].fiber);
        threads_[i].block.launcher = &*threads_[i].checked;
        threads_[i].block.checks = &CheckedThread::functions;
        threads_[i].block.barrier = [](cuda_tile_block* block) {
          CheckedThread::of(block).fiber().suspend();
        };
      }
    }
    std::iota(order_.begin(), order_.end(), 0u);
    return true;
  }

  bool run_until(std::int64_t deadline) noexcept override {
    for (std::uint64_t ordinal; launch_.take(ordinal);) {
      run_block(ordinal);
      if (deadline != never && coarse_time() >= deadline)
        break;
    }
    return !launch_.has_blocks();
  }

private:
  struct Thread {
    Launch* launch;
    cuda_tile_block block;
    std::unique_ptr<Fiber> fiber;
    std::optional<CheckedThread> checked;
  };

  static void barrier(cuda_tile_block* block) { static_cast<Fiber*>(block->launcher)->suspend(); }

  static void run_thread(void* argument) {
    auto* thread = static_cast<Thread*>(argument);
    thread->launch->kernel.entry(thread->launch->arguments, &thread->block);
  }

  void run_block(std::uint64_t ordinal) {
    // What an earlier block left there must not help this one: read before it is written, scratch is all NaN.
    std::memset(scratch_.data(), 0xff, scratch_.size());
    for (Thread& thread : threads_) {
      set_block_index(thread.block, launch_.order(ordinal));
      thread.fiber->start(run_thread, &thread);
      if (thread.checked)
        thread.checked->begin(ordinal);
    }
    for (std::uint64_t barriers = 0;; ++barriers) {
      const unsigned ended = run_to_barrier(mix(launch_.seed + ordinal) + barriers);
      if (is_violated_)
        return abandon();
      if (ended == threads_.size())
        return;
      if (ended != 0)
        return report_divergence(ordinal, barriers);
    }
  }

  /// Lets each thread go on up to its next barrier or its end; returns how many ended.
  unsigned run_to_barrier(std::uint64_t seed) {
    if (launch_.seed != 0)
      shuffle(order_.data(), static_cast<unsigned>(order_.size()), seed);
    unsigned count = 0;
    for (const unsigned i : order_) {
      count += ended_[i] = threads_[i].fiber->resume();
      is_violated_ = threads_[i].checked && threads_[i].checked->is_ended();
      if (is_violated_) // what the other threads would find comes of that
        break;
    }
    return count;
  }

  /// Ends the block: one of its threads violated what is checked.
  void abandon() {
    for (Thread& thread : threads_)
      if (!thread.fiber->is_finished())
        thread.fiber->abandon();
  }

  void report_divergence(std::uint64_t ordinal, std::uint64_t barriers) {
    for (std::size_t i = 0; i != threads_.size(); ++i)
      if (!ended_[i])
        threads_[i].fiber->abandon();
    const unsigned (&at)[3] = threads_[0].block.block;
    launch_.fail(cuda_tile_divergence, ordinal,
                 "kernel '" + std::string(launch_.kernel.name) + "', block (" + std::to_string(at[0]) + ", " +
                     std::to_string(at[1]) + ", " + std::to_string(at[2]) + "): after " +
                     std::to_string(barriers) + " barriers, threads " + ranges(ended_, 1) +
                     " ended while threads " + ranges(ended_, 0) +
                     " wait in a barrier; all threads of a block must pass the same barriers");
  }

  Launch& launch_;
  std::vector<Thread> threads_;
  std::vector<unsigned> order_;
  std::vector<char> ended_;
  std::vector<char> scratch_;
  bool is_violated_ = false;
};

} // namespace

std::unique_ptr<BlockRunner> make_team_runner(Launch& launch) {
  auto runner = std::make_unique<TeamRunner>(launch);
  return runner->prepare() ? std::move(runner) : nullptr;
}

} // namespace cuda_tile_launcher
