// The switch from one stack to another: what a function call keeps is saved on the stack that is left.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuda_tile_launcher {

/// Where a stack that was left goes on.
class SavedPlace {
public:
  /// The first switch to it calls `main(argument)` on this stack; main must not return.
  void start(void* stack, std::size_t size, void (*main)(void*), void* argument) noexcept;
  /// Saves this place, and goes on at `to`; returns when something switches back.
  void switch_to(SavedPlace& to) noexcept;
  void prefetch() const noexcept {
    __builtin_prefetch(pointer_);
    __builtin_prefetch(static_cast<const char*>(pointer_) + 64);
  }

#if defined(__x86_64__) || defined(__aarch64__)
  static constexpr bool can_be_copied = true;
#else
  static constexpr bool can_be_copied = false;
#endif

private:
  void* pointer_ = nullptr; // to the stack, or to a ucontext_t
};

} // namespace cuda_tile_launcher
