// Prints a block's text on the host. The text is kept until it is complete and then printed at once, since
// other blocks print, too.
#pragma once

#include "cuda_tile/core/printf.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail::printing {

class printer {
public:
  void begin() {}
  /// Prints the text. What does not fit in memory is lost, as on a GPU.
  void end() {
    if (text_ != nullptr)
      ::printf("%s", text_);
    __builtin_free(text_);
  }
  void add(char c) {
    if (length_ + 2 > capacity_) {
      void* const more = __builtin_realloc(text_, 2 * capacity_ + 256);
      if (more == nullptr)
        return;
      text_ = static_cast<char*>(more);
      capacity_ = 2 * capacity_ + 256;
    }
    text_[length_++] = c;
    text_[length_] = 0;
  }

private:
  char* text_ = nullptr;
  size_t length_ = 0, capacity_ = 0;
};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail::printing
