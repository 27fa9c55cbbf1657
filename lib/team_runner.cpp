// Runs blocks of several threads, for the emulated target. The threads of a block are fibers of one OS thread
// that take turns from barrier to barrier, so their order is the same in each run, or shuffled by the seed.
#include "block_runner.h"
#include "checked_launch.h"
#include "fiber.h"
#include "kernel_guard.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace cuda_tile_launcher {

namespace {

constexpr std::size_t scratch_alignment = 1024; // no kernel needs more

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

/// Whether two threads wait at the same barrier of the source.
bool wait_together(const cuda_tile_block& a, const cuda_tile_block& b) {
  if (a.barrier_line != b.barrier_line || !a.barrier_file != !b.barrier_file)
    return false;
  return a.barrier_file == b.barrier_file || std::strcmp(a.barrier_file, b.barrier_file) == 0;
}

/// "the barrier at exchange.h:49"
std::string barrier_name(const cuda_tile_block& block) {
  if (!block.barrier_file)
    return "a barrier";
  const std::string path = block.barrier_file;
  return "the barrier at " + path.substr(path.rfind('/') + 1) + ":" + std::to_string(block.barrier_line);
}

class TeamRunner final : public BlockRunner {
public:
  explicit TeamRunner(Launch& launch)
      : launch_(launch), guard_(launch), threads_(launch.kernel.threads), order_(launch.kernel.threads),
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
      cuda_tile_block& block = threads_[i].block;
      block = {};
      std::copy(launch_.grid, launch_.grid + 3, block.grid);
      block.thread = i;
      block.scratch = aligned;
      block.barrier = barrier;
      threads_[i].fiber = thread_fibers().take();
      if (!threads_[i].fiber)
        return false;
      block.launcher = threads_[i].fiber.get();
      if (launch_.checked) {
        threads_[i].checked.emplace(launch_, *threads_[i].fiber);
        block.launcher = &*threads_[i].checked;
        block.checks = &CheckedThread::functions;
        block.barrier = [](cuda_tile_block* self) { CheckedThread::of(self).fiber().suspend(); };
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
    thread->launch->kernel.entry(thread->launch->arguments, &thread->block, 1);
  }

  void run_block(std::uint64_t ordinal) {
    // A block must not read what an earlier one left in scratch memory: until it is written, it is all NaN.
    std::memset(scratch_.data(), 0xff, scratch_.size());
    for (Thread& thread : threads_) {
      set_block_index(thread.block, launch_.order(ordinal));
      thread.fiber->start(run_thread, &thread);
      if (thread.checked)
        thread.checked->begin(ordinal);
    }
    for (std::uint64_t barriers = 0;; ++barriers) {
      const unsigned ended = run_to_barrier(ordinal, barriers);
      if (is_failed_)
        return abandon();
      if (ended == threads_.size())
        return;
      if (ended != 0)
        return report_divergence(ordinal, barriers, ended_, 0, "ended");
      if (const unsigned i = find_apart(); i != 0) {
        std::vector<char> with_first;
        for (const Thread& thread : threads_)
          with_first.push_back(wait_together(threads_[0].block, thread.block));
        return report_divergence(ordinal, barriers, with_first, i,
                                 "wait in " + barrier_name(threads_[0].block));
      }
    }
  }

  /// A thread that waits at a different barrier than thread 0; 0 if there is none.
  unsigned find_apart() const {
    for (unsigned i = 1; i != threads_.size(); ++i)
      if (!wait_together(threads_[0].block, threads_[i].block))
        return i;
    return 0;
  }

  /// Lets each thread run to its next barrier or its end; returns how many ended.
  unsigned run_to_barrier(std::uint64_t ordinal, std::uint64_t barriers) {
    if (launch_.seed != 0)
      shuffle(order_.data(), static_cast<unsigned>(order_.size()), mix(launch_.seed + ordinal) + barriers);
    unsigned count = 0;
    for (const unsigned i : order_) {
      count += ended_[i] = guard_.resume(*threads_[i].fiber, threads_[i].block);
      if (guard_.has_left())
        guard_.report(ordinal);
      is_failed_ = guard_.has_left() || launch_.is_given_up() ||
                   launch_.has_thrown(threads_[i].block, ordinal) ||
                   (threads_[i].checked && threads_[i].checked->is_ended());
      if (is_failed_) // errors of the other threads would only be consequences
        break;
    }
    return count;
  }

  /// Ends a block in which a thread failed.
  void abandon() {
    for (Thread& thread : threads_)
      if (!thread.fiber->is_finished())
        thread.fiber->abandon();
  }

  /// Reports that the threads flagged in `apart` do `what` while the others wait where thread `other` does.
  void report_divergence(std::uint64_t ordinal, std::uint64_t barriers, const std::vector<char>& apart,
                         unsigned other, const std::string& what) {
    while (apart[other])
      ++other;
    launch_.fail(cuda_tile_divergence, ordinal,
                 launch_.place(threads_[0].block) + "after " + std::to_string(barriers) +
                     " barriers, threads " + ranges(apart, 1) + " " + what + " while threads " +
                     ranges(apart, 0) + " wait in " + barrier_name(threads_[other].block) +
                     "; all threads of a block must pass the same barriers");
    abandon();
  }

  Launch& launch_;
  KernelGuard guard_;
  std::vector<Thread> threads_;
  std::vector<unsigned> order_;
  std::vector<char> ended_;
  std::vector<char> scratch_;
  bool is_failed_ = false;
};

} // namespace

std::unique_ptr<BlockRunner> make_team_runner(Launch& launch) {
  auto runner = std::make_unique<TeamRunner>(launch);
  return runner->prepare() ? std::move(runner) : nullptr;
}

} // namespace cuda_tile_launcher
