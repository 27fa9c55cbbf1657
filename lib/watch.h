// Interrupts a launching thread periodically so that it can check for Ctrl-C while a block keeps running, and
// lets the pool look at launches that take long.
#pragma once

namespace cuda_tile_launcher {

/// Watches a launch of the calling thread until the end of the scope. Only one launch of the process is
/// watched at a time. It costs a few nanoseconds: the signals come from a thread that looks for launches 20
/// times a second and sleeps while there are none.
class Watch {
public:
  Watch() noexcept;
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

private:
  bool is_watched_ = false;
};

/// To be called around a fork: the child has no such thread until it launches.
void lock_watch() noexcept;
void unlock_watch() noexcept;
void forget_watch() noexcept; // in the child, before it is unlocked

} // namespace cuda_tile_launcher
