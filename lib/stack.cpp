// Stacks by mmap.
#include "stack.h"

#include <sys/mman.h>
#include <sys/resource.h>

namespace cuda_tile_launcher {

namespace {

constexpr std::size_t smallest_stack = std::size_t{1} << 20;

} // namespace

// Large sizes may be refused because of a limit on address space (ulimit -v), strict overcommit or a small
// virtual address space.
bool Stack::reserve(std::size_t wanted, std::size_t guard) noexcept {
  bool is_mapped = map(wanted, guard);
  for (std::size_t size = wanted; !is_mapped && size >= smallest_stack; size /= 2)
    is_mapped = map(size, size);
  return is_mapped;
}

bool Stack::map(std::size_t size, std::size_t guard) noexcept {
  void* const memory =
      mmap(nullptr, guard + size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  char* const base = static_cast<char*>(memory) + guard;
  if (mprotect(base, size, PROT_READ | PROT_WRITE) != 0) {
    munmap(memory, guard + size);
    return false;
  }
  base_ = base;
  size_ = size;
  guard_ = guard;
  return true;
}

Stack::~Stack() {
  if (base_)
    munmap(base_ - guard_, guard_ + size_);
}

void Stack::trim(std::size_t kept) noexcept {
  if (size_ > kept)
    madvise(base_, size_ - kept, MADV_DONTNEED);
}

bool touched_new_memory() noexcept {
#ifdef RUSAGE_THREAD
  thread_local long faults_before = 0;
  rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  const long faults = usage.ru_minflt - faults_before;
  faults_before = usage.ru_minflt;
  return faults >= 16; // a fault maps a page of 4 KiB, or of 2 MiB with transparent huge pages
#else
  return true;
#endif
}

} // namespace cuda_tile_launcher
