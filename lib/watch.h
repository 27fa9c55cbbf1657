// Interrupts a thread that has launched, now and then, so that it can ask for Ctrl-C while a block runs on.
#pragma once

namespace cuda_tile_launcher {

/// A launch of the calling thread, from here to the end of the scope. One at a time is watched; a second one
/// of other threads, or of the same, is not. Costs a few nanoseconds: signals come from a thread that looks
/// for launches 20 times a second, and sleeps while there are none.
class Watch {
public:
  Watch() noexcept;
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

private:
  bool is_watched_ = false;
};

/// Around a fork: the child has no such thread until it launches.
void lock_watch() noexcept;
void unlock_watch() noexcept;
void forget_watch() noexcept; // in the child, before it is unlocked

} // namespace cuda_tile_launcher
