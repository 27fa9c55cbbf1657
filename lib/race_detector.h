// Finds accesses of one location by blocks that nothing orders, whatever order they happened to run in.
//
// For each element of an array the last write is kept and, of the reads since, those of two blocks (of one,
// where elements have one byte). Blocks are ordered by what they release and acquire at an address: each has
// a clock, and knows up to which clock it has heard of others (FastTrack, Flanagan and Freund 2009).
#pragma once

#include "memory_map.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace cuda_tile_launcher {

/// Up to which clock of other blocks something has heard.
using Knowledge = std::unordered_map<std::uint64_t, std::uint32_t>;

/// Accesses of one place in the program by one block, between two of its releases.
struct Event {
  std::uint64_t block;
  std::uint32_t clock;
  std::uint32_t flags;
  const void* site;
};

/// The block that a thread runs just now.
struct BlockHistory {
  std::uint64_t block = 0;
  std::uint32_t clock = 1;
  Knowledge known;
  std::unordered_map<std::uint64_t, std::uint32_t> events; // of this clock, by site and flags

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

  /// Records accesses to [begin, end) of a region. Returns the event that they race with, or null; then
  /// `at` is the first address in question.
  const Event* access(BlockHistory& history, const Region& region, std::uintptr_t begin, std::uintptr_t end,
                      unsigned flags, const void* site, std::uintptr_t& at);
  void release(BlockHistory& history, std::uintptr_t address);
  void acquire(BlockHistory& history, std::uintptr_t address);

private:
  /// What is kept of one region: numbers of events, 0 for none.
  struct Shadow {
    std::uint32_t* writes = nullptr;
    std::uint32_t* readers[2] = {};
    void* memory = nullptr;
    std::size_t bytes = 0;
  };
  struct alignas(64) Lock {
    std::mutex mutex;
  };

  /// Events that were looked at before: neighbours mostly have the same.
  struct Memory {
    std::uint32_t harmless; // no conflict with the access in question
    std::uint32_t foreign;  // not ordered before it
  };

  /// Its number; 0 where there is no memory for more.
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
