#include "watch.h"

#include "pool.h"
#include "signals.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <new>
#include <pthread.h>
#include <signal.h>
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace cuda_tile_launcher {

#ifdef __linux__

namespace {

constexpr auto interval = std::chrono::milliseconds(50);
constexpr int idle_intervals = 20; // intervals without a launch until the thread sleeps

struct State {
  /// The last thread that launched (high half), a number for the launch, and whether it runs (lowest bit).
  alignas(64) std::atomic<std::uint64_t> launch{0};
  std::atomic<bool> is_asleep{true};
  std::mutex mutex; // guards the members below
  std::condition_variable wake;
  bool has_thread = false;
};

std::uint64_t calling_thread() noexcept { return static_cast<std::uint64_t>(syscall(SYS_gettid)) << 32; }
constinit thread_local std::uint64_t own_thread = 0;

State& state() {
  static auto* state = new State; // the thread may outlive static objects
  return *state;
}

void interrupt(std::uint64_t launch) noexcept {
  syscall(SYS_tgkill, getpid(), static_cast<pid_t>(launch >> 32), pause_signal);
}

void* watch(void*) {
  pthread_setname_np(pthread_self(), "cuda_tile_watch");
  State& self = state();
  std::unique_lock lock(self.mutex);
  std::uint64_t seen = self.launch.load();
  for (int idle = 0;;) {
    self.wake.wait_for(lock, interval);
    const std::uint64_t now = self.launch.load();
    if (now == seen && now & 1) {
      interrupt(now);
      lock.unlock(); // the pool's mutex is locked first where a process forks
      Pool::instance().help_long_launches();
      lock.lock();
    }
    idle = now == seen && !(now & 1) ? idle + 1 : 0;
    seen = now;
    if (idle < idle_intervals)
      continue;
    self.is_asleep.store(true);
    if (self.launch.load() == seen) // otherwise a launch began before it could see is_asleep
      self.wake.wait(lock, [&] { return !self.is_asleep.load(); });
    self.is_asleep.store(false);
    idle = 0;
  }
}

void wake_up() noexcept {
  State& self = state();
  std::lock_guard lock(self.mutex);
  self.is_asleep.store(false);
  self.wake.notify_one();
  if (self.has_thread)
    return;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  self.has_thread = pthread_create(&thread, nullptr, watch, nullptr) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (self.has_thread)
    pthread_detach(thread);
}

} // namespace

Watch::Watch() noexcept {
  if (own_thread == 0)
    own_thread = calling_thread();
  State& self = state();
  std::uint64_t last = self.launch.load(std::memory_order_relaxed);
  const std::uint64_t number = (last + 2) & 0xffffffff;
  if (last & 1 || !self.launch.compare_exchange_strong(last, own_thread | number | 1))
    return;
  is_watched_ = true;
  if (self.is_asleep.load())
    wake_up();
}

Watch::~Watch() {
  if (is_watched_) {
    State& self = state();
    self.launch.store(self.launch.load(std::memory_order_relaxed) & ~std::uint64_t{1},
                      std::memory_order_release);
  }
}

void lock_watch() noexcept { state().mutex.lock(); }
void unlock_watch() noexcept { state().mutex.unlock(); }
void forget_watch() noexcept {
  State& self = state();
  own_thread = calling_thread();
  new (&self.wake) std::condition_variable; // one for which the lost thread does not wait
  self.has_thread = false;
  self.is_asleep.store(true);
  self.launch.store(0);
}

#else

Watch::Watch() noexcept {}
Watch::~Watch() {}
void lock_watch() noexcept {}
void unlock_watch() noexcept {}
void forget_watch() noexcept {}

#endif

} // namespace cuda_tile_launcher
