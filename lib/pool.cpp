// Launches are offered in a list; sleeping threads are woken, join the oldest launch that has blocks left,
// and sleep again. The launching thread works too, so a launch never waits for a thread to wake up.
#include "pool.h"

#include "fiber.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <new>
#include <pthread.h>
#ifdef __linux__
#include <sched.h>
#endif
#include <thread>

namespace cuda_tile_launcher {

namespace {

constexpr std::int64_t poll_interval = 50'000'000; // ns
constexpr unsigned most_workers = 4096;

unsigned usable_cores() {
#ifdef __linux__
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0)
    return static_cast<unsigned>(CPU_COUNT(&cores));
#endif
  return std::max(1u, std::thread::hardware_concurrency());
}

} // namespace

Pool& Pool::instance() {
  static auto* pool = new Pool;
  return *pool;
}

Pool::Pool() : workers_(usable_cores()) {
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void Pool::set_num_workers(unsigned count) {
  std::lock_guard lock(mutex_);
  workers_ = count ? std::min(count, most_workers) : usable_cores();
  work_.notify_all(); // threads beyond the number end
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
                "could not get memory for the stacks or the scratch of a block");
    return launch.status;
  }
  const bool shared = launch.block_count > 1;
  if (shared)
    publish(launch);

  bool interrupted = false;
  const auto ask = [&] {
    if (!interrupted && poll && poll()) {
      interrupted = true;
      launch.stop();
    }
  };
  while (!runner->run_until(poll ? coarse_time() + poll_interval : never))
    ask();
  if (shared)
    retire(launch, ask);

  if (launch.orphaned)
    launch.fail(cuda_tile_interrupted, 0,
                "the process forked during the launch, which goes on in the parent only");
  else if (interrupted && launch.status == cuda_tile_success)
    launch.fail(cuda_tile_interrupted, 0, "the launch was interrupted");
  return launch.status;
}

void Pool::publish(Launch& launch) {
  unsigned wake;
  {
    std::lock_guard lock(mutex_);
    launch.max_helpers = static_cast<unsigned>(std::min<std::uint64_t>(workers_ - 1, launch.block_count - 1));
    if (launch.max_helpers == 0)
      return;
    launch.most_threads = launch.max_helpers + 1;
    while (threads_ < launch.max_helpers && start_thread()) {
    }
    launches_.push_back(&launch);
    wake = std::min(launch.max_helpers, sleeping_);
  }
  wake_helpers(wake);
}

template <typename Ask>
void Pool::retire(Launch& launch, Ask ask) {
  std::unique_lock lock(mutex_);
  while (launch.helpers != 0)
    if (launch.helpers_done.wait_for(lock, std::chrono::nanoseconds(poll_interval)) ==
        std::cv_status::timeout) {
      lock.unlock();
      ask();
      lock.lock();
    }
  std::erase(launches_, &launch);
}

// Each thread that wakes up wakes two more: the caller soon works itself, and many threads are awake soon.
void Pool::wake_helpers(unsigned wanted) {
  for (unsigned n = std::min(wanted, 2u); n != 0; --n)
    work_.notify_one();
}

// ---- helping -----------------------------------------------------------------------------------------

bool Pool::start_thread() {
  // Signals are for the program's own threads, except those that a kernel's faults raise.
  sigset_t blocked, before;
  sigfillset(&blocked);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP})
    sigdelset(&blocked, fault);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  pthread_t thread;
  const bool started = pthread_create(&thread, nullptr, thread_main, this) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (started) {
    pthread_detach(thread);
    ++threads_;
  }
  return started;
}

void* Pool::thread_main(void* pool) {
#ifdef __linux__
  pthread_setname_np(pthread_self(), "cuda_tile");
#endif
  static_cast<Pool*>(pool)->work();
  return nullptr;
}

Launch* Pool::find_work() {
  const auto found = std::find_if(launches_.begin(), launches_.end(), [](const Launch* launch) {
    return launch->helpers < launch->max_helpers && launch->has_blocks();
  });
  return found == launches_.end() ? nullptr : *found;
}

void Pool::work() {
  std::unique_lock lock(mutex_);
  while (threads_ <= workers_ - 1) {
    Launch* const launch = find_work();
    if (!launch) {
      ++sleeping_;
      work_.wait(lock);
      --sleeping_;
      continue;
    }
    ++launch->helpers;
    const unsigned wanted = launch->max_helpers - std::min(launch->max_helpers, launch->helpers);
    const unsigned wake = std::min(wanted, sleeping_);
    lock.unlock();
    wake_helpers(wake);
    const auto runner = make_block_runner(*launch);
    if (runner)
      runner->run_until(never);
    lock.lock();
    if (!runner)
      launch->max_helpers = 0; // no memory for more: the launching thread and the others go on
    if (--launch->helpers == 0)
      launch->helpers_done.notify_one();
  }
  --threads_;
}

// ---- fork --------------------------------------------------------------------------------------------
// The child has none of the threads, so it starts again with an empty pool. Idle stacks are its own copies.

void Pool::before_fork() {
  instance().mutex_.lock();
  block_fibers().mutex().lock();
  thread_fibers().mutex().lock();
}

void Pool::after_fork_in_parent() {
  thread_fibers().mutex().unlock();
  block_fibers().mutex().unlock();
  instance().mutex_.unlock();
}

void Pool::after_fork_in_child() {
  Pool& pool = instance();
  new (&pool.work_) std::condition_variable; // the old one still counts waiting threads
  pool.threads_ = pool.sleeping_ = 0;
  for (Launch* launch : pool.launches_) {
    launch->orphaned = true;
    launch->helpers = 0;
    launch->stop();
  }
  pool.launches_.clear();
  after_fork_in_parent();
}

} // namespace cuda_tile_launcher
