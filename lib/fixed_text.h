// Text that signal handlers may compose.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuda_tile_launcher {

/// Text of bounded length; anything beyond it is cut off.
class FixedText {
public:
  FixedText() noexcept { text_[0] = 0; }
  FixedText& operator<<(const char* text) noexcept;
  FixedText& operator<<(std::uint64_t number) noexcept { return write(number, 10); }
  FixedText& hex(std::uint64_t number) noexcept { return (*this << "0x").write(number, 16); }
  void clear() noexcept { text_[size_ = 0] = 0; }
  const char* c_str() const noexcept { return text_; }
  std::size_t size() const noexcept { return size_; }

private:
  FixedText& write(std::uint64_t number, unsigned base) noexcept;

  char text_[900]; // ends with a zero
  std::size_t size_ = 0;
};

} // namespace cuda_tile_launcher
