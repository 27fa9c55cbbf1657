// Launches are offered in a list. Sleeping threads are woken, join the oldest launch that has blocks left,
// and sleep again. The launching thread works too, so a launch never waits for a thread to wake up. Waking
// takes longer than a short launch, so a waiting thread stays awake for about as long as waking it would
// take, yielding to all other threads. That costs at most twice as much as the best choice would.
#include "pool.h"

#include "fiber.h"
#include "openmp.h"
#include "signals.h"
#include "watch.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <pthread.h>
#ifdef __linux__
#include <sched.h>
#endif
#include <thread>
#include <utility>

namespace cuda_tile_launcher {

namespace {

constexpr std::int64_t poll_interval = 50'000'000; // ns
constexpr std::int64_t least_awake = 300'000;      // ns
constexpr std::int64_t most_awake = 5'000'000;     // ns
constexpr unsigned most_workers = 4096;
constexpr unsigned patience = 5; // calls of help_long_launches()
/// How many blocks run at once if they seem to wait for others, and how many threads these have together.
constexpr unsigned most_blocks_at_once = 256, most_threads_at_once = 1 << 16;

unsigned usable_cores() {
#ifdef __linux__
  cpu_set_t cores;
  if (find_cores_of_openmp(cores) || sched_getaffinity(0, sizeof cores, &cores) == 0)
    return static_cast<unsigned>(CPU_COUNT(&cores));
#endif
  return std::max(1u, std::thread::hardware_concurrency());
}

} // namespace

Pool& Pool::instance() {
  static auto* pool = new Pool;
  return *pool;
}

Pool::Pool() : workers_(usable_cores()), awake_time_(least_awake) {
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void Pool::set_num_workers(unsigned count) {
  std::lock_guard lock(mutex_);
  workers_ = count ? std::min(count, most_workers) : usable_cores();
  calls_.fetch_add(1, std::memory_order_relaxed);
  while (sleeping_)
    wake_helpers(workers_); // surplus threads end
}

unsigned Pool::num_workers() {
  std::lock_guard lock(mutex_);
  return workers_;
}

// ---- launching ---------------------------------------------------------------------------------------

int Pool::run(Launch& launch, int (*poll)()) {
  const auto runner = make_block_runner(launch);
  if (!runner) {
    launch.fail(cuda_tile_out_of_resources, 0,
                "could not get memory for the stacks or the scratch memory of a block");
    return launch.status;
  }
  const Watch watch;
  launch.poll = poll;
  if (launch.block_count == 1)
    runner->run_until(never);
  else if (!run_on_openmp(launch, *runner)) {
    publish(launch);
    lead(launch, *runner);
  }

  if (launch.orphaned)
    launch.fail(cuda_tile_interrupted, 0,
                "the process forked during the launch, which continues only in the parent");
  else if (launch.is_interrupted && launch.status == cuda_tile_success)
    launch.fail(cuda_tile_interrupted, 0, "the launch was interrupted");
  return launch.status;
}

void Pool::lead(Launch& launch, BlockRunner& runner) {
  while (!runner.run_until(launch.poll ? coarse_time() + poll_interval : never))
    launch.ask();
  retire(launch);
}

// On threads that are not the pool's, blocks must not wait for each other: how many of them run at once is
// the runtime's affair.
bool Pool::run_on_openmp(Launch& launch, BlockRunner& runner) {
  if (!launch.kernel.independent || launch.checked)
    return false;
  struct Work {
    Pool& pool;
    Launch& launch;
    BlockRunner& runner;
  } work{*this, launch, runner};
  {
    std::lock_guard lock(mutex_);
    if (workers_ == 1 || !launches_.empty())
      return false;
    launch.most_threads = workers_;
    launches_.push_back(&launch);
  }
  const auto run = [](void* data, bool is_first) noexcept {
    auto& given = *static_cast<Work*>(data);
    if (is_first)
      given.pool.lead(given.launch, given.runner);
    else if (given.launch.has_blocks())
      given.pool.help_once(given.launch);
  };
  if (run_on_openmp_threads(static_cast<unsigned>(launch.most_threads), run, &work))
    return true;
  std::lock_guard lock(mutex_);
  std::erase(launches_, &launch);
  return false;
}

void Pool::publish(Launch& launch) {
  std::lock_guard lock(mutex_);
  launch.max_helpers = static_cast<unsigned>(std::min<std::uint64_t>(workers_ - 1, launch.block_count - 1));
  if (launch.max_helpers == 0) {
    if (launch.maker)
      launches_.push_back(&launch);
    return;
  }
  launch.most_threads = launch.max_helpers + 1;
  while (threads_ < launch.max_helpers && start_thread()) {
  }
  launches_.push_back(&launch);
  calls_.fetch_add(1, std::memory_order_relaxed);
  launch_cpu_.store(current_cpu(), std::memory_order_relaxed);
  wake_helpers(launch.max_helpers);
}

void Pool::retire(Launch& launch) {
  std::unique_lock lock(mutex_, std::defer_lock);
  const auto is_done = [&] { return launch.helpers.load(std::memory_order_relaxed) == 0; };
  if (!wait_awake([&] { return is_done() && lock.try_lock(); }))
    lock.lock();
  launch.is_waiting = launch.helpers != 0;
  while (launch.helpers != 0)
    if (launch.helpers_done.wait_for(lock, std::chrono::nanoseconds(poll_interval)) ==
        std::cv_status::timeout) {
      lock.unlock();
      launch.ask();
      lock.lock();
      if (launch.is_given_up())
        interrupt_helpers(launch);
    }
  if (launch.is_waiting)
    has_woken(launch.affinity, launch.called_at);
  std::erase(launches_, &launch);
}

void Pool::interrupt_helpers(const Launch& launch) {
  for (const Helper* helper : helpers_)
    if (helper->launch == &launch)
      pthread_kill(helper->thread, pause_signal);
}

template <typename Condition>
bool Pool::wait_awake(Condition is_true) {
  const std::int64_t end = exact_time() + awake_time_.load(std::memory_order_relaxed);
  while (!is_true()) {
    if (exact_time() >= end)
      return false;
    std::this_thread::yield();
  }
  return true;
}

// Each thread that wakes up wakes two more, so the caller can start working soon and the number of awake
// threads grows quickly.
void Pool::wake_helpers(unsigned wanted) {
  for (unsigned n = std::min(wanted, 2u); n != 0 && sleeping_; --n) {
    Helper& helper = *std::exchange(sleeping_, sleeping_->next);
    helper.is_called = true;
    helper.called_at = exact_time();
    helper.affinity.keep_off_this_cpu(helper.thread);
    helper.wake.notify_one();
  }
}

// ---- helping -----------------------------------------------------------------------------------------

bool Pool::start(void* (*main)(void*), void* argument) {
  // Signals are left to the program's own threads, except those that kernels raise and pause_signal.
  sigset_t blocked, before;
  sigfillset(&blocked);
  for (const int fault : fault_signals)
    sigdelset(&blocked, fault);
  sigdelset(&blocked, pause_signal);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  pthread_t thread;
  const bool started = pthread_create(&thread, nullptr, main, argument) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (started) {
#ifdef __linux__
    pthread_setname_np(thread, "cuda_tile"); // so that it has the name before it first runs
    if (cpu_set_t cores; find_cores_of_openmp(cores))
      pthread_setaffinity_np(thread, sizeof cores, &cores);
#endif
    pthread_detach(thread);
  }
  return started;
}

bool Pool::start_thread() {
  const bool started = start(thread_main, this);
  threads_ += started;
  return started;
}

void* Pool::thread_main(void* pool) {
  static_cast<Pool*>(pool)->work();
  return nullptr;
}

Launch* Pool::find_work() {
  const auto found = std::find_if(launches_.begin(), launches_.end(), [](const Launch* launch) {
    return launch->helpers < launch->max_helpers && launch->has_blocks();
  });
  return found == launches_.end() ? nullptr : *found;
}

void Pool::wait_for_call(Helper& helper, std::unique_lock<std::mutex>& lock) {
  const unsigned seen = calls_.load(std::memory_order_relaxed);
  const auto is_called = [&] { return calls_.load(std::memory_order_relaxed) != seen; };
  lock.unlock();
  const bool was_called = wait_awake([&] {
    leave_cpu(launch_cpu_.load(std::memory_order_relaxed)); // there it would see the launch too late
    return is_called() && lock.try_lock();
  });
  if (was_called)
    return;
  lock.lock();
  if (is_called())
    return;
  helper.is_called = false;
  helper.next = std::exchange(sleeping_, &helper);
  helper.wake.wait(lock, [&] { return helper.is_called; });
  has_woken(helper.affinity, helper.called_at);
}

// Halted virtual processors take from a tenth of a millisecond to several to wake, for seconds at a time.
void Pool::has_woken(Affinity& affinity, std::int64_t called_at) {
  affinity.restore();
  const std::int64_t taken = std::clamp(exact_time() - called_at, least_awake, most_awake);
  const std::int64_t before = awake_time_.load(std::memory_order_relaxed);
  awake_time_.store(std::max(taken, before - (before - taken) / 8), std::memory_order_relaxed);
}

void Pool::work() {
  Helper self;
  std::unique_lock lock(mutex_);
  helpers_.push_back(&self);
  while (threads_ <= workers_ - 1) {
    Launch* const launch = find_work();
    if (!launch) {
      wait_for_call(self, lock);
      continue;
    }
    leave_cpu(launch_cpu_.load(std::memory_order_relaxed));
    wake_helpers(launch->max_helpers - ++launch->helpers);
    help(*launch, self, lock);
  }
  std::erase(helpers_, &self);
  --threads_;
}

void Pool::help(Launch& launch, Helper& self, std::unique_lock<std::mutex>& lock) {
  self.launch = &launch;
  lock.unlock();
  const auto runner = make_block_runner(launch);
  if (runner)
    runner->run_until(never);
  lock.lock();
  self.launch = nullptr;
  if (!runner)
    launch.max_helpers = 0; // no memory for more helpers; the threads already at work continue
  if (--launch.helpers == 0 && launch.is_waiting) {
    launch.called_at = exact_time();
    launch.affinity.keep_off_this_cpu(launch.thread);
    launch.helpers_done.notify_one();
  }
}

void Pool::help_once(Launch& launch) {
  Helper self;
  std::unique_lock lock(mutex_);
  helpers_.push_back(&self);
  ++launch.helpers;
  help(launch, self, lock);
  std::erase(helpers_, &self);
}

// Twice as many threads work on such a launch each time.
void Pool::help_long_launches() {
  std::lock_guard lock(mutex_);
  for (Launch* const launch : launches_) {
    if (!launch->maker || !launch->has_blocks()) // ordinary kernels, not those of tiles
      continue;
    const std::uint64_t started = launch->started_blocks();
    launch->times_alike =
        std::exchange(launch->seen_started, started) == started ? launch->times_alike + 1 : 0;
    if (launch->times_alike < patience)
      continue;
    launch->times_alike = 0;
    const unsigned working = launch->helpers + 1;
    const unsigned most = std::min(most_blocks_at_once, most_threads_at_once / launch->kernel.threads);
    const std::uint64_t left = launch->block_count - std::min(started, launch->block_count);
    unsigned wanted = static_cast<unsigned>(std::min<std::uint64_t>(working, left));
    for (wanted = std::min(wanted, most - std::min(working, most)); wanted != 0; --wanted)
      if (!start_extra(*launch))
        break;
  }
}

bool Pool::start_extra(Launch& launch) {
  const bool started = start(extra_main, &launch);
  launch.helpers += started;
  launch.max_helpers += started;
  return started;
}

void* Pool::extra_main(void* of) {
  auto& launch = *static_cast<Launch*>(of);
  Pool& pool = instance();
  Helper self;
  std::unique_lock lock(pool.mutex_);
  pool.helpers_.push_back(&self);
  pool.help(launch, self, lock);
  std::erase(pool.helpers_, &self);
  return nullptr;
}

// ---- fork --------------------------------------------------------------------------------------------
// The child has none of the threads, so it starts with an empty pool. It has copies of the idle stacks.

void Pool::before_fork() {
  release_openmp_threads();
  instance().mutex_.lock();
  block_fibers().mutex().lock();
  thread_fibers().mutex().lock();
  lock_watch();
}

void Pool::after_fork_in_parent() {
  unlock_watch();
  thread_fibers().mutex().unlock();
  block_fibers().mutex().unlock();
  instance().mutex_.unlock();
}

void Pool::after_fork_in_child() {
  Pool& pool = instance();
  pool.threads_ = 0;
  pool.sleeping_ = nullptr;
  pool.helpers_.clear();
  forget_watch();
  forget_openmp();
  for (Launch* launch : pool.launches_) {
    launch->orphaned = true;
    launch->helpers = 0;
    launch->stop();
  }
  pool.launches_.clear();
  after_fork_in_parent();
}

} // namespace cuda_tile_launcher
