// Stacks by mmap.
#include "stack.h"

#include <sys/mman.h>
#include <sys/resource.h>

namespace cuda_tile_launcher {

namespace {

constexpr std::size_t smallest_stack = std::size_t{1} << 20;
// Compilers touch a large frame anywhere in it, so one page would be stepped over. Addresses cost nothing.
constexpr std::size_t guard_bytes = std::size_t{1} << 20;

} // namespace

bool Stack::reserve(std::size_t wanted) noexcept {
  // A limit on address space (ulimit -v), strict overcommit or a small virtual address space refuses large
  // sizes.
  for (std::size_t size = wanted; size >= smallest_stack; size /= 2) {
    void* memory = mmap(nullptr, guard_bytes + size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      continue;
    mprotect(memory, guard_bytes, PROT_NONE);
    base_ = static_cast<char*>(memory) + guard_bytes;
    size_ = size;
    return true;
  }
  return false;
}

Stack::~Stack() {
  if (base_)
    munmap(base_ - guard_bytes, guard_bytes + size_);
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
  return faults >= 16; // a fault brings a page of 4 KiB, or of 2 MiB where the system says so
#else
  return true;
#endif
}

} // namespace cuda_tile_launcher
