#include "checked_launch.h"

#include "block_runner.h"
#include "fault.h"

#include <algorithm>
#include <cstring>
#include <unwind.h>

namespace cuda_tile_launcher {

namespace {

/// The frames of the calling stack that lie in `library`, as offsets into it.
void find_frames(const void* library, unsigned long long (&frames)[32]) {
  struct Search {
    const void* library;
    unsigned long long* next;
    unsigned long long* end;
  } search{library, frames, frames + 32};
  _Unwind_Backtrace(
      [](_Unwind_Context* context, void* data) {
        auto& found = *static_cast<Search*>(data);
        int is_before_call = 0;
        const std::uintptr_t pc = _Unwind_GetIPInfo(context, &is_before_call);
        const std::uintptr_t call = pc - (is_before_call ? 0 : 1);
        if (pc != 0 && library_of(reinterpret_cast<const void*>(call)) == found.library)
          *found.next++ = call - reinterpret_cast<std::uintptr_t>(found.library);
        return found.next == found.end ? _URC_END_OF_STACK : _URC_NO_REASON;
      },
      &search);
}

} // namespace

CheckedLaunch::CheckedLaunch(const cuda_tile_kernel& kernel, const cuda_tile_array* arrays, unsigned count,
                             std::uint64_t ignored, cuda_tile_report& report)
    : library(library_of(reinterpret_cast<const void*>(kernel.entry))), memory(arrays, count, library),
      races(memory), ignored_(ignored), report_(report) {}

const cuda_tile_checks CheckedThread::functions = {
    [](cuda_tile_block* block, const cuda_tile_violation* violation) {
      of(block).violate(*block, *violation);
    },
    [](cuda_tile_block* block, const cuda_tile_access* access) { of(block).check_memory(*block, *access); },
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
};

const cuda_tile_checks CheckedBlock::functions = {
    [](cuda_tile_block* block, const cuda_tile_violation* violation) {
      of(block).violate(*block, *violation);
    },
    [](cuda_tile_block* block, const cuda_tile_access* access) {
      of(block).check(*block, *access, __builtin_return_address(0));
    },
    [](cuda_tile_block* block, const void* address) {
      CheckedBlock& self = of(block);
      self.checked_.races.acquire(self.history_, reinterpret_cast<std::uintptr_t>(address));
    },
    [](cuda_tile_block* block) { of(block).wait_.stop(true); },
    [](cuda_tile_block* block, const void* address, const char** begin, const char** end) -> int {
      const Region* const region = of(block).region_of(reinterpret_cast<std::uintptr_t>(address));
      if (!region || region->number == own_variables) // whose single bounds are not known
        return 0;
      *begin = reinterpret_cast<const char*>(region->begin);
      *end = reinterpret_cast<const char*>(region->end);
      return 1;
    },
    [](cuda_tile_block*, cuda_tile_place* places, unsigned count) -> unsigned {
      std::sort(places, places + count, [](const cuda_tile_place& a, const cuda_tile_place& b) {
        return a.address != b.address ? a.address < b.address : a.position < b.position;
      });
      unsigned found = count;
      for (unsigned i = 1; i < count; ++i)
        if (places[i].address == places[i - 1].address &&
            (found == count || places[i].position < places[found].position))
          found = i;
      return found;
    },
    [](cuda_tile_block* block, const unsigned char* undefined, unsigned count) -> unsigned {
      return of(block).undefined_.keep({reinterpret_cast<const char*>(undefined), count});
    },
    [](cuda_tile_block* block, unsigned number) -> const unsigned char* {
      return of(block).undefined_[number];
    },
};

void CheckedBlock::begin(std::uint64_t number, std::uint64_t ordinal) {
  ordinal_ = ordinal;
  history_.begin(number);
  undefined_.clear();
  wait_.begin_block();
}

// ---- accesses ----------------------------------------------------------------------------------------

void CheckedThread::require_stack(const cuda_tile_block& block) {
  constexpr std::ptrdiff_t needed = std::ptrdiff_t{256} << 10; // for the checks, which hold locks
  const Stack& stack = fiber_.stack();
  if (static_cast<const char*>(__builtin_frame_address(0)) - static_cast<const char*>(stack.base()) > needed)
    return;
  FixedText& text = fiber_.note();
  text.clear();
  const Calls calls(checked_.library, nullptr);
  describe_overflow(text, stack, calls);
  describe_place(text, calls);
  launch_.fail(cuda_tile_fault, ordinal_, launch_.place(block) + text.c_str());
  is_ended_ = true;
  fiber_.suspend();
}

const Region* CheckedThread::region_of(std::uintptr_t address) {
  if (!last_region_ || address < last_region_->begin || address >= last_region_->end) {
    const Region* const found = checked_.memory.find(address);
    if (!found)
      return nullptr;
    last_region_ = found;
  }
  return last_region_;
}

/// Whether the address is that of a variable on the kernel's stack or in a loaded library.
bool CheckedThread::is_own(std::uintptr_t address) const {
  const auto* const place = reinterpret_cast<const void*>(address);
  return fiber_.stack().contains(place) || library_of(place) != nullptr;
}

const Region* CheckedThread::check_memory(cuda_tile_block& block, const cuda_tile_access& access) {
  if (launch_.is_stopped()) { // a block that waits for one that has been ended would wait forever
    is_ended_ = true;
    fiber_.suspend();
  }
  const auto begin = reinterpret_cast<std::uintptr_t>(access.address);
  const std::uintptr_t end = begin + access.count * access.size;
  cuda_tile_violation violation{cuda_tile_memory_bounds, access.element, 0, {}};
  const Region* const region = region_of(begin);
  if (begin % access.size != 0) {
    violation.kind = cuda_tile_misaligned_access;
    violate(block, violation, &access, begin);
  }
  if (!region || end > region->end) {
    const std::uintptr_t first =
        region ? std::max(begin, region->end - (region->end - begin) % access.size) : begin;
    if (region || !is_own(begin)) {
      violation.element.position += static_cast<unsigned>((first - begin) / access.size);
      violate(block, violation, &access, first);
    }
    return nullptr;
  }
  if (access.flags & cuda_tile_writes && !region->writable) {
    violation.kind = cuda_tile_read_only_write;
    violate(block, violation, &access, begin);
  }
  return region;
}

void CheckedBlock::check(cuda_tile_block& block, const cuda_tile_access& access, const void* site) {
  const Region* const region = check_memory(block, access);
  note_progress(block, access);
  if (region)
    check_race(block, access, *region, site);
  // Locks may lie outside of all regions, too, as in variables of another library.
  if ((access.flags & (cuda_tile_releases | cuda_tile_block_scope)) == cuda_tile_releases)
    for (unsigned long long i = 0; i != access.count; ++i)
      checked_.races.release(history_, reinterpret_cast<std::uintptr_t>(access.address) + i * access.size);
}

void CheckedBlock::check_race(cuda_tile_block& block, const cuda_tile_access& access, const Region& region,
                              const void* site) {
  // Accesses to parts of elements are skipped, since those to neighbouring parts would look like races.
  if (access.size < region.unit || checked_.ignores(cuda_tile_data_race))
    return;
  const auto begin = reinterpret_cast<std::uintptr_t>(access.address);
  const std::uintptr_t end = begin + access.count * access.size;
  std::uintptr_t at = begin;
  if (const Event* const other =
          checked_.races.access(history_, region, begin, end, access.flags, site, at)) {
    cuda_tile_violation violation{cuda_tile_data_race, access.element, 0, {}};
    violation.element.position += static_cast<unsigned>((at - begin) / access.size);
    violate(block, violation, &access, at, other);
  }
}

void CheckedBlock::note_progress(cuda_tile_block& block, const cuda_tile_access& access) {
  if ((access.flags & (cuda_tile_is_atomic | cuda_tile_reads)) != (cuda_tile_is_atomic | cuda_tile_reads))
    return wait_.stop((access.flags & cuda_tile_writes) != 0);
  if (!wait_.repeat(reinterpret_cast<std::uintptr_t>(access.address)))
    return;
  cuda_tile_report report = make_report(block, access.element);
  launch_.fail(cuda_tile_endless_wait, ordinal_, "a wait that cannot end",
               [&] { checked_.report() = report; });
  fiber_.suspend();
}

// ---- reports -----------------------------------------------------------------------------------------

/// A report that says where the block is.
cuda_tile_report CheckedThread::make_report(const cuda_tile_block& block,
                                            const cuda_tile_element& element) const {
  cuda_tile_report report{};
  std::strncpy(report.function, element.function, sizeof report.function - 1);
  report.rank = std::min(element.rank, 16u);
  unsigned position = element.position;
  for (unsigned d = report.rank; d-- != 0;) {
    report.index[d] = position % element.lengths[d];
    position /= element.lengths[d];
  }
  std::copy_n(block.block, 3, report.block);
  find_frames(checked_.library, report.frames);
  report.array = ~0u;
  return report;
}

void CheckedThread::violate(cuda_tile_block& block, const cuda_tile_violation& violation,
                            const cuda_tile_access* access, std::uintptr_t address, const Event* other) {
  if (checked_.ignores(violation.kind))
    return;
  cuda_tile_report report = make_report(block, violation.element);
  report.kind = violation.kind;
  report.value_count = violation.value_count;
  std::copy_n(violation.values, 4, report.values);
  if (access) {
    report.flags = access->flags;
    report.size = access->size;
    report.offset = static_cast<long long>(address);
    const Region* const region = checked_.memory.find(address);
    if (region && region->number != own_variables) {
      report.array = region->number;
      report.offset = static_cast<long long>(address - region->begin);
    }
  }
  if (other) {
    report.other_flags = other->flags;
    cuda_tile_block place{};
    std::copy_n(block.grid, 3, place.grid);
    set_block_index(place, other->block);
    std::copy_n(place.block, 3, report.other_block);
    report.other_frame = reinterpret_cast<std::uintptr_t>(other->site) - 1 -
                         reinterpret_cast<std::uintptr_t>(checked_.library);
  }
  launch_.fail(cuda_tile_violated, ordinal_, "undefined behaviour", [&] { checked_.report() = report; });
  is_ended_ = true;
  fiber_.suspend();
}

} // namespace cuda_tile_launcher
