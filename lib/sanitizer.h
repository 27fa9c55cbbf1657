// Tells AddressSanitizer, where it is in the process, that a thread goes on on another stack.
#pragma once

#include <cstddef>

extern "C" {
__attribute__((weak)) void __sanitizer_start_switch_fiber(void** kept, const void* bottom, std::size_t size);
__attribute__((weak)) void __sanitizer_finish_switch_fiber(void* kept, const void** bottom,
                                                           std::size_t* size);
}

namespace cuda_tile_launcher {

/// Before a switch to a stack. `kept` is for finish_switch, when this stack goes on.
inline void start_switch(void*& kept, const void* bottom, std::size_t size) noexcept {
  if (__sanitizer_start_switch_fiber)
    __sanitizer_start_switch_fiber(&kept, bottom, size);
}
/// After a switch; yields the stack that was left.
inline void finish_switch(void* kept, const void*& bottom, std::size_t& size) noexcept {
  if (__sanitizer_finish_switch_fiber)
    __sanitizer_finish_switch_fiber(kept, &bottom, &size);
}

} // namespace cuda_tile_launcher
