// Tells AddressSanitizer and ThreadSanitizer, where one is active in the process, that a thread switches to
// another stack.
#pragma once

#include <cstddef>

extern "C" {
__attribute__((weak)) void __sanitizer_start_switch_fiber(void** kept, const void* bottom, std::size_t size);
__attribute__((weak)) void __sanitizer_finish_switch_fiber(void* kept, const void** bottom,
                                                           std::size_t* size);
__attribute__((weak)) void* __tsan_get_current_fiber();
__attribute__((weak)) void* __tsan_create_fiber(unsigned flags);
__attribute__((weak)) void __tsan_destroy_fiber(void* fiber);
__attribute__((weak)) void __tsan_switch_to_fiber(void* fiber, unsigned flags);
}

namespace cuda_tile_launcher {

inline bool switches_are_watched() noexcept {
  return __sanitizer_start_switch_fiber || __tsan_switch_to_fiber;
}

/// What ThreadSanitizer calls a stack, null without it.
inline void* begin_fiber() noexcept { return __tsan_create_fiber ? __tsan_create_fiber(0) : nullptr; }
inline void* current_fiber() noexcept {
  return __tsan_get_current_fiber ? __tsan_get_current_fiber() : nullptr;
}
inline void end_fiber(void* fiber) noexcept {
  if (fiber)
    __tsan_destroy_fiber(fiber);
}

/// Called before a switch to another stack. `kept` is passed to finish_switch when this stack continues.
inline void start_switch(void*& kept, const void* bottom, std::size_t size, void* fiber) noexcept {
  if (__sanitizer_start_switch_fiber)
    __sanitizer_start_switch_fiber(&kept, bottom, size);
  if (fiber)
    __tsan_switch_to_fiber(fiber, 0);
}
/// Called after a switch; returns the stack that was left.
inline void finish_switch(void* kept, const void*& bottom, std::size_t& size) noexcept {
  if (__sanitizer_finish_switch_fiber)
    __sanitizer_finish_switch_fiber(kept, &bottom, &size);
}

} // namespace cuda_tile_launcher
