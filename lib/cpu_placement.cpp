// Keeps the threads of a launch on different processors on Linux; elsewhere the scheduler is left alone.
#include "cpu_placement.h"

namespace cuda_tile_launcher {

#ifdef __linux__

int current_cpu() noexcept { return sched_getcpu(); }

void Affinity::keep_off_this_cpu(pthread_t thread) noexcept {
  const int cpu = current_cpu();
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

void leave_cpu(int cpu) noexcept {
  if (cpu < 0 || current_cpu() != cpu)
    return;
  Affinity own;
  own.keep_off_this_cpu(pthread_self());
  own.restore();
}

#else

void Affinity::keep_off_this_cpu(pthread_t) noexcept {}
void Affinity::restore() noexcept {}
int current_cpu() noexcept { return -1; }
void leave_cpu(int) noexcept {}

#endif

} // namespace cuda_tile_launcher
