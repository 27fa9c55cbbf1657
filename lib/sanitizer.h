// Tells AddressSanitizer, if it is active in the process, that a thread switches to another stack.
#pragma once

#include <cstddef>

extern "C" {
__attribute__((weak)) void __sanitizer_start_switch_fiber(void** kept, const void* bottom, std::size_t size);
__attribute__((weak)) void __sanitizer_finish_switch_fiber(void* kept, const void** bottom,
                                                           std::size_t* size);
}

namespace cuda_tile_launcher {

/// Called before a switch to another stack. `kept` is passed to finish_switch when this stack continues.
inline void start_switch(void*& kept, const void* bottom, std::size_t size) noexcept {
  if (__sanitizer_start_switch_fiber)
    __sanitizer_start_switch_fiber(&kept, bottom, size);
}
/// Called after a switch; returns the stack that was left.
inline void finish_switch(void* kept, const void*& bottom, std::size_t& size) noexcept {
  if (__sanitizer_finish_switch_fiber)
    __sanitizer_finish_switch_fiber(kept, &bottom, &size);
}

} // namespace cuda_tile_launcher
