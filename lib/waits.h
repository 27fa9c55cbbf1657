// Finds waits that cannot end: every running block only reads again locations that none of them changes.
//
// A block waits by reading a location atomically over and over, such as a flag that another block should set
// or a lock that it tries to take. Updates that leave the memory unchanged count as reads.
#pragma once

#include "block_runner.h"

#include <atomic>
#include <cstdint>

namespace cuda_tile_launcher {

/// What the blocks of a launch know about each other's waits.
struct Waits {
  std::atomic<unsigned> running{0}; // blocks that run
  std::atomic<unsigned> waiting{0}; // how many of them wait
  std::atomic<std::uint64_t> changes{0};
};

/// The wait of the block that a thread runs.
class Wait {
public:
  explicit Wait(Waits& waits) : waits_(waits) {}

  void begin_block() { waits_.running.fetch_add(1); }
  void end_block() {
    stop();
    waits_.running.fetch_sub(1);
  }

  /// The block did something other than reading a location again. If it `writes`, others may wait for that.
  void stop(bool writes = false) {
    if (is_waiting_)
      waits_.waiting.fetch_sub(1);
    is_waiting_ = false;
    repetitions_ = 0;
    if (writes && waits_.waiting.load() != 0)
      waits_.changes.fetch_add(1);
  }

  /// The block read a location atomically or tried to change it. Returns true if its wait cannot end.
  bool repeat(std::uintptr_t address) {
    if (repetitions_ == 0)
      first_ = address;
    if (address != first_ || ++repetitions_ % examined != 0)
      return false;
    return repetitions_ == examined ? start() : is_endless();
  }

private:
  static constexpr std::uint64_t examined = 1 << 14;     // repetitions
  static constexpr std::int64_t longest = 1'000'000'000; // ns, in which other threads may still make a change

  bool start() {
    is_waiting_ = true;
    waits_.waiting.fetch_add(1);
    changes_ = waits_.changes.load();
    since_ = coarse_time();
    return false;
  }

  bool is_endless() {
    const std::uint64_t changes = waits_.changes.load();
    if (changes == changes_ && waits_.waiting.load() == waits_.running.load())
      return coarse_time() - since_ > longest;
    changes_ = changes;
    since_ = coarse_time();
    return false;
  }

  Waits& waits_;
  std::uintptr_t first_ = 0;
  std::uint64_t repetitions_ = 0, changes_ = 0;
  std::int64_t since_ = 0;
  bool is_waiting_ = false;
};

} // namespace cuda_tile_launcher
