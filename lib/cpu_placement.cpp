// Keeps the threads of a launch on different processors: on Linux; elsewhere the scheduler is left alone.
#include "cpu_placement.h"

namespace cuda_tile_launcher {

#ifdef __linux__

void Affinity::keep_off_this_cpu(pthread_t thread) noexcept {
  const int cpu = sched_getcpu();
  if (cpu < 0 || cpu >= CPU_SETSIZE || pthread_getaffinity_np(thread, sizeof allowed_, &allowed_) != 0)
    return;
  cpu_set_t others = allowed_;
  CPU_CLR(cpu, &others);
  is_changed_ = CPU_COUNT(&others) != 0 && pthread_setaffinity_np(thread, sizeof others, &others) == 0;
}

void Affinity::restore() noexcept {
  if (is_changed_)
    pthread_setaffinity_np(pthread_self(), sizeof allowed_, &allowed_);
  is_changed_ = false;
}

bool OccupiedCpus::take(unsigned cpu) noexcept {
  const std::uint64_t bit = std::uint64_t{1} << cpu % word_bits;
  return (taken_[cpu / word_bits].fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
}

void OccupiedCpus::enter() noexcept {
  static_assert(words * word_bits == CPU_SETSIZE);
  const int cpu = sched_getcpu();
  if (cpu < 0 || cpu >= CPU_SETSIZE || take(static_cast<unsigned>(cpu)))
    return;
  Affinity own;
  own.keep_off_this_cpu(pthread_self());
  own.restore();
}

#else

void Affinity::keep_off_this_cpu(pthread_t) noexcept {}
void Affinity::restore() noexcept {}
bool OccupiedCpus::take(unsigned) noexcept { return true; }
void OccupiedCpus::enter() noexcept {}

#endif

} // namespace cuda_tile_launcher
