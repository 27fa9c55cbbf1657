// Threads that have not begun wait in a row: a fiber runs one after the other, until one waits for others,
// which keeps the fiber; another one goes on with the row. So there are as many fibers as threads wait at
// once.
//
// Threads go on in rounds: each runs until it waits or ends. Between rounds, those whose wait is over are
// made ready. So what a thread left for the others of its group stays there until all of them have gone on.
#include "thread_runner.h"

#include "../fiber.h"
#include "../kernel_guard.h"
#include "cuda_tile/runtime/device/atomics.h"
#include "cuda_tile/runtime/device/thread.h"
#include "waiting_threads.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <link.h>
#include <string>
#include <vector>

__thread uint3 threadIdx, blockIdx;
__thread dim3 blockDim, gridDim;
__thread unsigned cuda_tile::runtime::atomics_in_turn;

namespace cuda_tile_runtime {

using cuda_tile_launcher::Fiber;
using cuda_tile_launcher::FiberStore;
using cuda_tile_launcher::KernelGuard;
using cuda_tile_launcher::Launch;

namespace {

constexpr std::size_t stack_bytes = (1 << 20) + Fiber::most_unused, kept_stack_bytes = 64 << 10;
constexpr std::size_t shared_alignment = 1024;
constexpr unsigned ahead = 3; // how early a thread's stack is fetched: each is on a page of its own

/// Never destroyed, like the launcher's own.
FiberStore& fibers() {
  static auto* const store = new FiberStore(stack_bytes, stack_bytes, kept_stack_bytes);
  return *store;
}

class ThreadRunner final : public cuda_tile_launcher::BlockRunner {
public:
  ThreadRunner(Launch& launch, const Threads& threads)
      : launch_(launch), shape_(threads), count_(threads.count()), guard_(launch), block_{},
        threads_(count_) {
    std::copy(launch.grid, launch.grid + 3, block_.grid);
    shared_.resize(threads.shared_bytes == 0 ? 0 : threads.shared_bytes + shared_alignment);
    void* aligned = shared_.data();
    std::size_t room = shared_.size();
    block_.scratch = std::align(shared_alignment, threads.shared_bytes, aligned, room);
  }
  ~ThreadRunner() override {
    const bool trim = owned_.size() > 1 && cuda_tile_launcher::touched_new_memory();
    for (auto& fiber : owned_)
      fibers().give_back(std::move(fiber), trim);
  }

  static constinit thread_local ThreadRunner* current;

  bool run_until(std::int64_t deadline) noexcept override {
    ThreadRunner* const before = std::exchange(current, this);
    for (std::uint64_t ordinal; launch_.take(ordinal);) {
      run_block(ordinal);
      if (shape_.barrier)
        shape_.barrier->leave();
      if (deadline != cuda_tile_launcher::never && cuda_tile_launcher::coarse_time() >= deadline)
        break;
    }
    current = before;
    threadIdx = {};
    return !launch_.has_blocks();
  }

  // ---- called by the running thread ----

  unsigned meet_block(bool predicate) {
    counted_ += predicate;
    wait(State::at_block);
    return counted_before_;
  }

  const cuda_tile_warp_values* meet_warp(unsigned mask, unsigned long long value) {
    Thread& self = threads_[running_];
    self.mask = mask;
    self.value = value;
    wait(State::at_warp);
    return threads_.values_for(running_);
  }

  unsigned meet_active(const void* site) {
    threads_[running_].site = site;
    wait(State::at_active_mask);
    return threads_[running_].mask;
  }

  void yield() { wait(State::yielding); }
  void meet_grid() { wait(State::at_grid); }

  void* shared() const { return block_.scratch; }
  bool has_shared(const void* place) const {
    const auto* const first = static_cast<const char*>(block_.scratch);
    return place >= first && place < first + shape_.shared_bytes;
  }
  bool has_local(const void* place) const { return guard_.fiber().stack().contains(place); }
  const Threads& shape() const { return shape_; }

private:
  void wait(State state) {
    threads_.stop(running_, state);
    threads_[running_].fiber = &guard_.fiber();
    if (Fiber* const next = find_ready())
      guard_.hand_over(*next);
    else
      guard_.suspend();
  }

  /// Makes the next thread current that is ready in this round; returns null if run_round() has to.
  Fiber* find_ready() {
    if (guard_.may_hand_over())
      for (unsigned i = running_ + 1; i != begun_; ++i)
        if (threads_[i].state == State::ready) {
          make_current(i);
          if (const Fiber* const soon = threads_[std::min(i + ahead, count_ - 1)].fiber)
            soon->prefetch();
          return threads_[i].fiber;
        }
    return nullptr;
  }

  /// Runs threads that have not begun, in a fiber.
  static void run_row(void* argument) {
    auto& self = *static_cast<ThreadRunner*>(argument);
    try {
      while (self.begun_ != self.count_) {
        self.begin_next();
        self.shape_.run(self.launch_.arguments);
        self.threads_.stop(self.running_, State::ended);
      }
    } catch (const std::exception& thrown) {
      self.note_thrown(*thrown.what() ? thrown.what() : "one without text");
    } catch (...) {
      self.note_thrown("not a std::exception");
    }
  }

  void note_thrown(const char* what) { std::strncpy(block_.thrown, what, sizeof block_.thrown - 1); }

  /// Begins the next thread of the row: its index follows that of the one before.
  void begin_next() {
    running_ = block_.thread = begun_++;
    threadIdx = next_;
    cuda_tile::runtime::atomics_in_turn = 0;
    if (++next_.x != shape_.block[0])
      return;
    next_.x = 0;
    if (++next_.y != shape_.block[1])
      return;
    next_.y = 0;
    ++next_.z;
  }

  void make_current(unsigned thread) {
    const unsigned x = shape_.block[0], y = shape_.block[1];
    if (thread == running_ + 1 && threadIdx.x + 1 != x) // without a division
      ++threadIdx.x;
    else
      threadIdx = {thread % x, thread / x % y, thread / x / y};
    running_ = block_.thread = thread;
    cuda_tile::runtime::atomics_in_turn = 0;
  }

  void run_block(std::uint64_t ordinal) {
    cuda_tile_launcher::set_block_index(block_, launch_.order(ordinal));
    blockIdx = {block_.block[0], block_.block[1], block_.block[2]};
    blockDim = {shape_.block[0], shape_.block[1], shape_.block[2]};
    gridDim = {block_.grid[0], block_.grid[1], block_.grid[2]};
    std::fill(shared_.begin(), shared_.end(), '\xff'); // a block must not read what an earlier one left
    threads_.reset();
    begun_ = counted_ = 0;
    next_ = {};
    while (run_round(ordinal) && waiting() != 0)
      if (!make_ready()) {
        if (!launch_.is_stopped())
          report_deadlock(ordinal);
        break;
      }
    abandon();
  }

  /// Lets each ready thread run until it waits or ends. Returns false if the launch has failed.
  bool run_round(std::uint64_t ordinal) {
    for (unsigned i = 0; i != begun_; ++i)
      if (threads_[i].state == State::ready) {
        make_current(i);
        if (!resume(*threads_[i].fiber, ordinal))
          return false;
      }
    while (begun_ != count_) {
      Fiber* const fiber = take_fiber();
      if (!fiber) {
        launch_.fail(cuda_tile_out_of_resources, ordinal, "no memory for the stacks of a block's threads");
        return false;
      }
      fiber->start(run_row, this);
      if (!resume(*fiber, ordinal))
        return false;
    }
    return true;
  }

  bool resume(Fiber& fiber, std::uint64_t ordinal) {
    if (guard_.resume(fiber, block_))
      idle_.push_back(&guard_.fiber());
    if (guard_.has_left())
      guard_.report(ordinal);
    return !guard_.has_left() && !launch_.is_given_up() && !launch_.has_thrown(block_, ordinal);
  }

  Fiber* take_fiber() {
    if (idle_.empty()) {
      auto fiber = fibers().take();
      if (!fiber)
        return nullptr;
      owned_.push_back(std::move(fiber));
      return owned_.back().get();
    }
    Fiber* const fiber = idle_.back();
    idle_.pop_back();
    return fiber;
  }

  /// Ends what is left of a block that failed.
  void abandon() {
    for (auto& fiber : owned_)
      if (!fiber->is_finished()) {
        fiber->abandon();
        idle_.push_back(fiber.get());
      }
  }

  // ---- between rounds ----

  unsigned waiting() const { return count_ - threads_.count(State::ended); }

  /// Makes the threads ready whose wait is over. Returns whether there are any.
  bool make_ready() {
    bool is_any = threads_.release_warps();
    if (threads_.count(State::at_block) == waiting()) {
      counted_before_ = std::exchange(counted_, 0);
      is_any |= threads_.release(State::at_block);
    } else if (threads_.count(State::at_grid) == waiting()) {
      if (!shape_.barrier->wait(launch_))
        return false;
      is_any |= threads_.release(State::at_grid);
    }
    if (!is_any)
      is_any = threads_.release_active() || threads_.release_outsiders();
    return threads_.release(State::yielding) || is_any;
  }

  void report_deadlock(std::uint64_t ordinal) {
    std::string text;
    for (const State state : {State::at_block, State::at_warp, State::at_grid, State::ended})
      if (const unsigned threads = threads_.count(state))
        text += (text.empty() ? "" : ", ") + std::to_string(threads) + " threads " +
                names_of_states[static_cast<int>(state)];
    launch_.fail(cuda_tile_divergence, ordinal,
                 launch_.place(block_, false) + "the threads of the block wait for each other for ever: " +
                     text + "; all threads of a block, or all lanes of a mask, must pass the same barriers");
  }

  Launch& launch_;
  const Threads& shape_;
  const unsigned count_;
  KernelGuard guard_;
  cuda_tile_block block_;
  WaitingThreads threads_;
  std::vector<char> shared_;
  std::vector<std::unique_ptr<Fiber>> owned_;
  std::vector<Fiber*> idle_;
  unsigned running_ = 0; // the thread that runs
  unsigned begun_ = 0;
  uint3 next_ = {};                           // index of the thread that begins next
  unsigned counted_ = 0, counted_before_ = 0; // predicates at the barrier, and at the last one
};

constinit thread_local ThreadRunner* ThreadRunner::current = nullptr;

/// Whether an address is of a `thread_local` variable of the calling thread.
bool is_variable_of_thread(const void* place) {
  const auto is_in = [](dl_phdr_info* library, std::size_t, void* sought) {
    const auto* const first = static_cast<const char*>(library->dlpi_tls_data);
    const auto* const end = library->dlpi_phdr + library->dlpi_phnum;
    const auto* const part =
        std::find_if(library->dlpi_phdr, end, [](const auto& each) { return each.p_type == PT_TLS; });
    return int{first && part != end && sought >= first && sought < first + part->p_memsz};
  };
  return dl_iterate_phdr(is_in, const_cast<void*>(place)) != 0;
}

ThreadRunner& runner(const char* function) {
  if (!ThreadRunner::current) {
    std::fprintf(stderr, "pycuda_tile: %s is for kernels that are launched with threads\n", function);
    std::abort();
  }
  return *ThreadRunner::current;
}

} // namespace

std::unique_ptr<cuda_tile_launcher::BlockRunner> Threads::make(Launch& launch) const {
  return std::make_unique<ThreadRunner>(launch, *this);
}

std::string Threads::thread_name(const cuda_tile_block& of) const {
  const unsigned x = block[0], y = block[1];
  return ", thread (" + std::to_string(of.thread % x) + ", " + std::to_string(of.thread / x % y) + ", " +
         std::to_string(of.thread / x / y) + ")";
}

} // namespace cuda_tile_runtime

using namespace cuda_tile_runtime;

extern "C" {

unsigned cuda_tile_block_barrier(int predicate) {
  return runner("__syncthreads()").meet_block(predicate != 0);
}

const cuda_tile_warp_values* cuda_tile_warp_barrier(unsigned mask, unsigned long long value) {
  return runner("an exchange of lanes").meet_warp(mask, value);
}

unsigned cuda_tile_active_mask(const void* site) { return runner("__activemask()").meet_active(site); }

int cuda_tile_is_cooperative() { return runner("a grid's barrier").shape().barrier != nullptr; }

int cuda_tile_grid_barrier() {
  if (!cuda_tile_is_cooperative())
    return 0;
  ThreadRunner::current->meet_grid();
  return 1;
}

void cuda_tile_yield() {
  if (ThreadRunner::current)
    ThreadRunner::current->yield();
}

void* cuda_tile_dynamic_shared() { return runner("shared memory").shared(); }

int cuda_tile_is_shared(const void* place) {
  return ThreadRunner::current && (ThreadRunner::current->has_shared(place) ||
                                   is_variable_of_thread(place)); // see rewriting/variables.py
}

int cuda_tile_is_local(const void* place) {
  return ThreadRunner::current && ThreadRunner::current->has_local(place);
}

unsigned cuda_tile_dynamic_shared_bytes() { return runner("shared memory").shape().shared_bytes; }

/// clock() in kernels.
long cuda_tile_clock() { return static_cast<long>(cuda_tile_launcher::exact_time()); }

unsigned long long cuda_tile_nanoseconds() {
  return static_cast<unsigned long long>(cuda_tile_launcher::exact_time());
}
}
