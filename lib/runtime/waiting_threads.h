// The threads of a block by what they wait for, and whose wait is over.
#pragma once

#include "cuda_tile/runtime/device/thread.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace cuda_tile_launcher {
class Fiber;
}

namespace cuda_tile_runtime {

constexpr unsigned lanes_of_warp = 32;

enum class State : unsigned char { ready, at_block, at_warp, at_grid, at_active_mask, yielding, ended };
inline constexpr const char* names_of_states[] = {"run",
                                                  "wait in __syncthreads()",
                                                  "wait in __syncwarp() or an exchange of lanes",
                                                  "wait for the grid",
                                                  "wait in __activemask()",
                                                  "wait for a turn",
                                                  "have ended"};

struct Thread {
  cuda_tile_launcher::Fiber* fiber; // null if it has not begun
  State state;
  unsigned mask;            // of the lanes that it waits for, then of those that it met
  const void* site;         // of __activemask()
  unsigned long long value; // that it gives the lanes
};

class WaitingThreads {
public:
  explicit WaitingThreads(unsigned count) : count_(count), threads_(count) {}

  void reset() {
    std::fill(threads_.begin(), threads_.end(), Thread{});
    std::fill(std::begin(counts_), std::end(counts_), 0u);
  }

  Thread& operator[](unsigned thread) { return threads_[thread]; }
  /// The thread has run until it waits or ends.
  void stop(unsigned thread, State state) {
    threads_[thread].state = state;
    ++counts_[static_cast<int>(state)];
  }

  /// What the lanes of a warp gave, for a thread that waits with them.
  const cuda_tile_warp_values* values_for(unsigned thread) const {
    const auto first = static_cast<unsigned>(__builtin_ctz(threads_[thread].mask));
    return &met_[thread / lanes_of_warp * lanes_of_warp + first];
  }

  unsigned count(State state) const { return counts_[static_cast<int>(state)]; }

  bool release(State state) {
    if (count(state) == 0)
      return false;
    for (Thread& thread : threads_)
      if (thread.state == state)
        thread.state = State::ready;
    counts_[static_cast<int>(state)] = 0;
    return true;
  }

  /// Makes the lanes ready that have all met. Returns whether there are any.
  bool release_warps() {
    bool is_any = false;
    for (unsigned warp = 0; warp < count_ && count(State::at_warp) != 0; warp += lanes_of_warp)
      is_any |= release_warp(warp);
    return is_any;
  }

  /// The same for lanes that their own masks leave out, and that have not met with a mask of others: all that
  /// wait meet, as they do on a GPU. CUDA does not define this, but programs do it.
  bool release_outsiders() {
    bool is_any = false;
    for (unsigned warp = 0; warp < count_ && count(State::at_warp) != 0; warp += lanes_of_warp) {
      unsigned outsiders = 0;
      for (unsigned lane = 0; lane != std::min(lanes_of_warp, count_ - warp); ++lane) {
        const Thread& thread = threads_[warp + lane];
        outsiders |= unsigned{thread.state == State::at_warp && !(thread.mask >> lane & 1)} << lane;
      }
      if (outsiders != 0)
        meet(warp, outsiders);
      is_any |= outsiders != 0;
    }
    return is_any;
  }

  /// The same for lanes that asked which of them are active.
  bool release_active() {
    bool is_any = false;
    for (unsigned warp = 0; warp < count_ && count(State::at_active_mask) != 0; warp += lanes_of_warp)
      is_any |= release_active(warp);
    return is_any;
  }

private:
  void make_ready(Thread& thread) {
    --counts_[static_cast<int>(thread.state)];
    thread.state = State::ready;
  }

  /// The lanes of a warp of which `is(thread)` is true.
  template <typename Condition>
  unsigned lanes_where(unsigned warp, Condition is) const {
    unsigned lanes = 0;
    for (unsigned lane = 0; lane != std::min(lanes_of_warp, count_ - warp); ++lane)
      lanes |= static_cast<unsigned>(is(threads_[warp + lane])) << lane;
    return lanes;
  }

  bool release_warp(unsigned warp) {
    unsigned waiting = lanes_where(warp, [](const Thread& t) { return t.state == State::at_warp; });
    if (waiting == 0)
      return false;
    bool is_any = false;
    const unsigned alive = lanes_where(warp, [](const Thread& t) { return t.state != State::ended; });
    while (waiting != 0) {
      const auto first = static_cast<unsigned>(__builtin_ctz(waiting));
      const unsigned mask = threads_[warp + first].mask;
      const unsigned together =
          lanes_where(warp, [=](const Thread& t) { return t.state == State::at_warp && t.mask == mask; });
      waiting &= ~together;
      if ((mask & together) == 0 || (mask & alive & ~together) != 0)
        continue;
      meet(warp, together);
      is_any = true;
    }
    return is_any;
  }

  /// Gives the lanes of a warp each other's values, and makes them ready.
  void meet(unsigned warp, unsigned together) {
    if (met_.empty())
      met_.resize((count_ + lanes_of_warp - 1) / lanes_of_warp * lanes_of_warp);
    cuda_tile_warp_values& met = met_[warp + static_cast<unsigned>(__builtin_ctz(together))];
    met.lanes = together;
    for (unsigned lane = 0; lane != lanes_of_warp; ++lane)
      if (together >> lane & 1) {
        Thread& thread = threads_[warp + lane];
        met.of[lane] = thread.value;
        thread.mask = together;
        make_ready(thread);
      }
  }

  bool release_active(unsigned warp) {
    bool is_any = false;
    for (;;) {
      const unsigned waiting =
          lanes_where(warp, [](const Thread& t) { return t.state == State::at_active_mask; });
      if (waiting == 0)
        return is_any;
      const void* const site = threads_[warp + static_cast<unsigned>(__builtin_ctz(waiting))].site;
      const unsigned together = lanes_where(
          warp, [=](const Thread& t) { return t.state == State::at_active_mask && t.site == site; });
      for (unsigned lane = 0; lane != lanes_of_warp; ++lane)
        if (together >> lane & 1) {
          threads_[warp + lane].mask = together;
          make_ready(threads_[warp + lane]);
        }
      is_any = true;
    }
  }

  const unsigned count_;
  std::vector<Thread> threads_;
  unsigned counts_[std::size(names_of_states)] = {}; // of the threads in each state but ready
  std::vector<cuda_tile_warp_values> met_;           // by the first lane of those that met
};

} // namespace cuda_tile_runtime
