#include "race_detector.h"

#include "cuda_tile/launch/checks.h"

#include <algorithm>
#include <new>
#include <sys/mman.h>

namespace cuda_tile_launcher {

RaceDetector::RaceDetector(const MemoryMap& memory) : memory_(memory), shadows_(memory.regions().size()) {
  for (std::size_t i = 0; i != shadows_.size(); ++i) {
    const Region& region = memory.regions()[i];
    const std::size_t count = (region.end - region.begin + region.unit - 1) / region.unit;
    const unsigned kept = region.unit == 1 ? 2 : 3;
    Shadow& shadow = shadows_[i];
    shadow.bytes = count * kept * sizeof(std::uint32_t);
    void* const block = mmap(nullptr, shadow.bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED)
      throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    madvise(block, shadow.bytes, MADV_HUGEPAGE);
#endif
    shadow.memory = block;
    shadow.writes = static_cast<std::uint32_t*>(block);
    shadow.readers[0] = shadow.writes + count;
    shadow.readers[1] = kept == 3 ? shadow.readers[0] + count : nullptr;
  }
}

RaceDetector::~RaceDetector() {
  for (const Shadow& shadow : shadows_)
    if (shadow.memory)
      munmap(shadow.memory, shadow.bytes);
  for (auto& events : chunks_)
    delete[] events.load(std::memory_order_relaxed);
}

// ---- events ------------------------------------------------------------------------------------------

std::uint32_t RaceDetector::event_of(BlockHistory& history, unsigned flags, const void* site) {
  const std::uint64_t key = reinterpret_cast<std::uintptr_t>(site) << 8 ^ flags;
  std::uint32_t& number = history.events[key];
  if (number == 0) {
    std::lock_guard lock(events_mutex_);
    if (event_count_ / chunk == chunks_.size())
      return 0;
    auto& events = chunks_[event_count_ / chunk];
    if (!events.load(std::memory_order_relaxed))
      events.store(new (std::nothrow) Event[chunk], std::memory_order_release);
    if (!events.load(std::memory_order_relaxed))
      return 0;
    events.load(std::memory_order_relaxed)[event_count_ % chunk] = {history.block, history.clock, flags,
                                                                    site};
    number = event_count_++;
  }
  return number;
}

const Event& RaceDetector::event(std::uint32_t number) const {
  return chunks_[number / chunk].load(std::memory_order_acquire)[number % chunk];
}

bool RaceDetector::is_ordered(const Event& before, const BlockHistory& history) const {
  if (before.block == history.block)
    return true;
  const auto known = history.known.find(before.block);
  return known != history.known.end() && known->second >= before.clock;
}

bool RaceDetector::conflicts(std::uint32_t number, unsigned flags, const BlockHistory& history) const {
  const Event& before = event(number);
  const auto is_strong = [](unsigned f) {
    return (f & (cuda_tile_is_atomic | cuda_tile_block_scope)) == cuda_tile_is_atomic;
  };
  return !is_ordered(before, history) && !(is_strong(before.flags) && is_strong(flags));
}

// ---- accesses ----------------------------------------------------------------------------------------

std::uint32_t RaceDetector::write(Shadow& shadow, std::size_t i, std::uint32_t me,
                                  const BlockHistory& history, unsigned flags, Memory& seen) {
  for (std::uint32_t* kept : {shadow.writes, shadow.readers[0], shadow.readers[1]}) {
    if (!kept || kept[i] == 0)
      continue;
    if (kept[i] != seen.harmless && kept[i] != me) {
      if (conflicts(kept[i], flags, history))
        return kept[i];
      seen.harmless = kept[i];
    }
    kept[i] = 0;
  }
  shadow.writes[i] = me;
  return 0;
}

std::uint32_t RaceDetector::read(Shadow& shadow, std::size_t i, std::uint32_t me, const BlockHistory& history,
                                 unsigned flags, Memory& seen) {
  const std::uint32_t last = shadow.writes[i];
  if (last != 0 && last != seen.harmless) {
    if (conflicts(last, flags, history))
      return last;
    seen.harmless = last;
  }
  for (std::uint32_t* readers : shadow.readers) {
    if (!readers || readers[i] == me)
      break;
    // A later read by a block stands for its earlier reads, and for reads that are ordered before it.
    if (readers[i] == 0 || (readers[i] != seen.foreign && is_ordered(event(readers[i]), history))) {
      readers[i] = me;
      break;
    }
    seen.foreign = readers[i];
  }
  return 0;
}

const Event* RaceDetector::access(BlockHistory& history, const Region& region, std::uintptr_t begin,
                                  std::uintptr_t end, unsigned flags, const void* site, std::uintptr_t& at) {
  Shadow& shadow = shadows_[static_cast<std::size_t>(&region - memory_.regions().data())];
  const std::uint32_t me = event_of(history, flags, site);
  const std::size_t last = (end - region.begin + region.unit - 1) / region.unit;
  if (me == 0)
    return nullptr;
  Memory seen{me, 0};
  for (std::size_t i = (begin - region.begin) / region.unit; i < last;) {
    const std::size_t stop = std::min(last, (i / stripe + 1) * stripe);
    std::lock_guard lock(locks_[i / stripe % locks_.size()].mutex);
    for (; i < stop; ++i)
      if (const std::uint32_t other = flags & cuda_tile_writes ? write(shadow, i, me, history, flags, seen)
                                                               : read(shadow, i, me, history, flags, seen)) {
        at = region.begin + i * region.unit;
        return &event(other);
      }
  }
  return nullptr;
}

// ---- order -------------------------------------------------------------------------------------------

namespace {

void learn(Knowledge& known, const Knowledge& news) {
  for (const auto& [block, clock] : news) {
    std::uint32_t& last = known[block];
    last = std::max(last, clock);
  }
}

} // namespace

void RaceDetector::release(BlockHistory& history, std::uintptr_t address) {
  std::lock_guard lock(sync_mutex_);
  Knowledge& released = released_[address];
  learn(released, history.known);
  released[history.block] = history.clock++;
  history.events.clear();
}

void RaceDetector::acquire(BlockHistory& history, std::uintptr_t address) {
  std::lock_guard lock(sync_mutex_);
  if (const auto released = released_.find(address); released != released_.end())
    learn(history.known, released->second);
}

} // namespace cuda_tile_launcher
