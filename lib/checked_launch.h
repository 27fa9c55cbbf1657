// What a checked launch keeps, and what a checked kernel calls: see cuda_tile/platform/checked.h.
#pragma once

#include "fiber.h"
#include "launch.h"
#include "memory_map.h"
#include "race_detector.h"

#include <memory>
#include <vector>

namespace cuda_tile_launcher {

/// Shared by the threads that work on the launch.
class CheckedLaunch {
public:
  CheckedLaunch(const cuda_tile_kernel& kernel, const cuda_tile_array* arrays, unsigned count,
                std::uint64_t ignored, cuda_tile_report& report);

  const MemoryMap memory;
  RaceDetector races;
  const void* const library; // where the kernel's library is loaded

  bool ignores(unsigned kind) const { return ignored_ >> kind & 1; }
  cuda_tile_report& report() { return report_; }

private:
  const std::uint64_t ignored_;
  cuda_tile_report& report_;
};

/// The block that one thread runs just now.
class CheckedBlock {
public:
  /// The fiber runs the blocks; one whose launch failed suspends it.
  CheckedBlock(Launch& launch, Fiber& fiber) : launch_(launch), checked_(*launch.checked), fiber_(fiber) {}

  static const cuda_tile_checks functions;

  /// Before the block with this number and place in the order runs.
  void begin(std::uint64_t number, std::uint64_t ordinal);

private:
  static CheckedBlock& of(cuda_tile_block* block) { return *static_cast<CheckedBlock*>(block->launcher); }

  void violate(cuda_tile_block& block, const cuda_tile_violation& violation,
               const cuda_tile_access* access = nullptr, std::uintptr_t address = 0,
               const Event* other = nullptr);
  void check(cuda_tile_block& block, const cuda_tile_access& access, const void* site);
  const Region* region_of(std::uintptr_t address);
  bool is_own(std::uintptr_t address) const;

  Launch& launch_;
  CheckedLaunch& checked_;
  Fiber& fiber_;
  std::uint64_t ordinal_ = 0;
  BlockHistory history_;
  const Region* last_region_ = nullptr;
  std::vector<std::unique_ptr<unsigned char[]>> undefined_;
};

} // namespace cuda_tile_launcher
