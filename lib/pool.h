// The threads that run blocks. They are created when first needed and sleep between launches.
#pragma once

#include "block_runner.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace cuda_tile_launcher {

class Pool {
public:
  /// The process's pool. It is never destroyed, because its threads may outlive static objects.
  static Pool& instance();

  /// Runs all blocks, on the calling thread and on helpers of the pool; returns a cuda_tile_status.
  int run(Launch& launch, int (*poll)());

  /// Called 20 times a second during launches that take long. Blocks of ordinary kernels may wait for blocks
  /// that have not started, as if all were on a GPU at once: where none has started for some time, more
  /// threads start some.
  void help_long_launches();

  void set_num_workers(unsigned count); // 0: one for each core that this process may use
  unsigned num_workers();

private:
  Pool();

  static void* thread_main(void* pool);
  /// Runs blocks of one launch, which has counted this thread, beside the threads of the pool.
  static void* extra_main(void* launch);
  static bool start(void* (*main)(void*), void* argument);
  bool start_thread();
  bool start_extra(Launch& launch);

  /// A thread of the pool. The sleeping ones form a list.
  struct Helper {
    const pthread_t thread = pthread_self();
    std::condition_variable wake;
    bool is_called = false;
    std::int64_t called_at = 0;
    Affinity affinity; // until it is awake
    Helper* next = nullptr;
    const Launch* launch = nullptr; // the one that it works on
  };

  void work();
  /// Runs blocks of a launch with the launching thread, and waits for the helpers.
  void lead(Launch& launch, BlockRunner& runner);
  /// Runs blocks of a launch that this thread has been counted for.
  void help(Launch& launch, Helper& self, std::unique_lock<std::mutex>& lock);
  /// The same with a thread of another pool.
  void help_once(Launch& launch);
  /// Runs a launch on the threads of an OpenMP runtime, if there is one and that makes no difference.
  bool run_on_openmp(Launch& launch, BlockRunner& runner);
  Launch* find_work();
  void wait_for_call(Helper& helper, std::unique_lock<std::mutex>& lock);

  /// Offers a launch to helpers. retire() waits for those that joined and meanwhile asks the user.
  void publish(Launch& launch);
  void retire(Launch& launch);
  /// Interrupts the helpers that still run blocks of a launch that is given up.
  void interrupt_helpers(const Launch& launch);
  void wake_helpers(unsigned wanted);
  /// Waits for at most awake_time_ until `is_true()`; returns whether it is.
  template <typename Condition>
  bool wait_awake(Condition is_true);
  /// Called by a thread that slept and was kept off the processor of the thread that woke it.
  void has_woken(Affinity& affinity, std::int64_t called_at);

  static void before_fork();
  static void after_fork_in_parent();
  static void after_fork_in_child();

  std::mutex mutex_;              // guards everything below
  std::vector<Launch*> launches_; // launches that helpers may join, oldest first
  unsigned workers_;
  unsigned threads_ = 0;
  Helper* sleeping_ = nullptr; // the last to fall asleep
  std::vector<Helper*> helpers_;
  /// Counts the events that threads are woken for: launches, and changes of the number of workers. Also read
  /// without the mutex.
  std::atomic<unsigned> calls_{0};
  std::atomic<int> launch_cpu_{-1};      // where the last launching thread was; also read without the mutex
  std::atomic<std::int64_t> awake_time_; // ns until a waiting thread sleeps; also read without the mutex
};

} // namespace cuda_tile_launcher
