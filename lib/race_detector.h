// Finds unordered accesses to one location by different blocks, whatever order they happened to run in.
//
// For each element of an array it keeps the last write and the reads of two blocks since then (of one block
// if elements have one byte, and for each byte of the kernel's own variables). Releases and acquires at an
// address order blocks: each block has a clock, and knows the clock up to which it has synchronised with
// every other one (FastTrack, Flanagan and Freund 2009).
#pragma once

#include "memory_map.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace cuda_tile_launcher {

/// For each other block, the clock up to which it has been synchronised with.
using Knowledge = std::unordered_map<std::uint64_t, std::uint32_t>;

/// The accesses of one block at one place in the program, between two of its releases.
struct Event {
  std::uint64_t block;
  std::uint32_t clock;
  std::uint32_t flags;
  const void* site;
};

/// The history of the block that a thread is running.
struct BlockHistory {
  std::uint64_t block = 0;
  std::uint32_t clock = 1;
  Knowledge known;
  std::unordered_map<std::uint64_t, std::uint32_t> events; // at this clock, by site and flags

  void begin(std::uint64_t number) {
    block = number;
    clock = 1;
    known.clear();
    events.clear();
  }
};

class RaceDetector {
public:
  explicit RaceDetector(const MemoryMap& memory);
  ~RaceDetector();

  /// Records accesses to [begin, end) of a region. Returns the event that they race with, and sets `at` to
  /// the first address of the race; null if there is no race.
  const Event* access(BlockHistory& history, const Region& region, std::uintptr_t begin, std::uintptr_t end,
                      unsigned flags, const void* site, std::uintptr_t& at);
  void release(BlockHistory& history, std::uintptr_t address);
  void acquire(BlockHistory& history, std::uintptr_t address);

private:
  /// The numbers of the events kept for each element of a region; 0 stands for none.
  struct Shadow {
    std::uint32_t* writes = nullptr;
    std::uint32_t* readers[2] = {};
    void* memory = nullptr;
    std::size_t bytes = 0;
  };
  struct alignas(64) Lock {
    std::mutex mutex;
  };

  /// The events examined last: neighbouring elements usually have the same ones.
  struct Memory {
    std::uint32_t harmless; // does not conflict with the current access
    std::uint32_t foreign;  // is not ordered before it
  };

  /// The number of the event; 0 if there is no memory for another one.
  std::uint32_t event_of(BlockHistory& history, unsigned flags, const void* site);
  const Event& event(std::uint32_t number) const;
  bool is_ordered(const Event& before, const BlockHistory& history) const;
  bool conflicts(std::uint32_t number, unsigned flags, const BlockHistory& history) const;
  std::uint32_t write(Shadow& shadow, std::size_t i, std::uint32_t me, const BlockHistory& history,
                      unsigned flags, Memory& seen);
  std::uint32_t read(Shadow& shadow, std::size_t i, std::uint32_t me, const BlockHistory& history,
                     unsigned flags, Memory& seen);

  static constexpr std::size_t stripe = 1024; // elements that share a lock
  static constexpr std::size_t chunk = 4096;  // events that are allocated at once

  const MemoryMap& memory_;
  std::vector<Shadow> shadows_;
  std::array<Lock, 64> locks_;
  std::mutex events_mutex_;
  std::uint32_t event_count_ = 1; // number 0 stands for none
  std::array<std::atomic<Event*>, 1 << 16> chunks_{};
  std::mutex sync_mutex_;
  std::unordered_map<std::uintptr_t, Knowledge> released_;
};

} // namespace cuda_tile_launcher
