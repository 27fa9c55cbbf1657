// The state of a checked launch and the functions that a checked kernel calls: see cuda_tile/launch/checks.h.
#pragma once

#include "fiber.h"
#include "launch.h"
#include "memory_map.h"
#include "race_detector.h"
#include "waits.h"

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace cuda_tile_launcher {

/// The state that all threads working on the launch share.
class CheckedLaunch {
public:
  CheckedLaunch(const cuda_tile_kernel& kernel, const cuda_tile_array* arrays, unsigned count,
                std::uint64_t ignored, cuda_tile_report& report);

  const void* const library; // where the kernel's library is loaded
  const MemoryMap memory;
  RaceDetector races;
  Waits waits;

  bool ignores(unsigned kind) const { return ignored_ >> kind & 1; }
  cuda_tile_report& report() { return report_; }

private:
  const std::uint64_t ignored_;
  cuda_tile_report& report_;
};

/// Records which elements of a block's tiles have no value: a byte per element; equal records are kept once.
class UndefinedElements {
public:
  /// Returns a number greater than 1.
  unsigned keep(std::string_view flags) {
    const auto found = numbers_.find(flags);
    if (found != numbers_.end())
      return found->second;
    const std::string& kept = kept_.emplace_back(flags); // its address never changes
    return numbers_[kept] = static_cast<unsigned>(kept_.size()) + 1;
  }
  const unsigned char* operator[](unsigned number) const {
    return reinterpret_cast<const unsigned char*>(kept_[number - 2].data());
  }
  void clear() {
    numbers_.clear();
    kept_.clear();
  }

private:
  std::deque<std::string> kept_;
  std::unordered_map<std::string_view, unsigned> numbers_;
};

/// A thread of a block. Checks that its accesses lie in memory that was passed to the launch.
class CheckedThread {
public:
  /// `fiber` runs the thread; a violation ends the launch and suspends the fiber.
  CheckedThread(Launch& launch, Fiber& fiber) : launch_(launch), checked_(*launch.checked), fiber_(fiber) {}

  static const cuda_tile_checks functions;

  void begin(std::uint64_t ordinal) { ordinal_ = ordinal; }
  /// Whether a violation has ended it.
  bool is_ended() const { return is_ended_; }
  Fiber& fiber() { return fiber_; }
  static CheckedThread& of(cuda_tile_block* block) {
    auto& self = *static_cast<CheckedThread*>(block->launcher);
    self.require_stack(*block);
    return self;
  }

protected:
  /// The region that is accessed; null if the access is allowed although it lies outside the launch's memory.
  const Region* check_memory(cuda_tile_block& block, const cuda_tile_access& access);
  cuda_tile_report make_report(const cuda_tile_block& block, const cuda_tile_element& element) const;
  void violate(cuda_tile_block& block, const cuda_tile_violation& violation,
               const cuda_tile_access* access = nullptr, std::uintptr_t address = 0,
               const Event* other = nullptr);
  const Region* region_of(std::uintptr_t address);

  Launch& launch_;
  CheckedLaunch& checked_;
  Fiber& fiber_;
  std::uint64_t ordinal_ = 0;
  bool is_ended_ = false;

private:
  /// Ends the block if its stack is about to overflow.
  void require_stack(const cuda_tile_block& block);
  bool is_own(std::uintptr_t address) const;

  const Region* last_region_ = nullptr;
};

/// The block that one thread is running.
class CheckedBlock : public CheckedThread {
public:
  CheckedBlock(Launch& launch, Fiber& fiber) : CheckedThread(launch, fiber), wait_(checked_.waits) {}

  static const cuda_tile_checks functions;

  /// Called before a block runs, with its number and its place in the order.
  void begin(std::uint64_t number, std::uint64_t ordinal);
  /// Called after the block has finished or been ended.
  void end() { wait_.end_block(); }

private:
  static CheckedBlock& of(cuda_tile_block* block) {
    return static_cast<CheckedBlock&>(CheckedThread::of(block));
  }

  void check(cuda_tile_block& block, const cuda_tile_access& access, const void* site);
  void check_race(cuda_tile_block& block, const cuda_tile_access& access, const Region& region,
                  const void* site);
  void note_progress(cuda_tile_block& block, const cuda_tile_access& access);

  BlockHistory history_;
  Wait wait_;
  UndefinedElements undefined_;
};

} // namespace cuda_tile_launcher
