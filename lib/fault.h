// What a signal says of a fault in a kernel, in words. All of it may be called by signal handlers.
#pragma once

#include "fixed_text.h"
#include "stack.h"

#include <csignal>
#include <cstddef>
#include <cstdint>

namespace cuda_tile_launcher {

/// Where the library lies that code belongs to; null if that is not known.
const void* library_of(const void* code) noexcept;

/// What the program was doing when a signal came: the system's description of its registers.
class Interrupted {
public:
  explicit Interrupted(const void* context) noexcept : context_(context) {}
  const void* code() const noexcept;   // where it was
  const char* access() const noexcept; // "read" or "wrote", where the processor says what faulted

private:
  const void* context_;
};

/// The calls of a kernel that led to a fault.
struct Calls {
  static constexpr unsigned most = 16;

  /// Those on the calling stack that lie in `library`, the innermost first; of a signal handler those from
  /// `code` on, which it interrupted.
  Calls(const void* library, const void* code) noexcept;

  const void* const library;
  unsigned long long offsets[most]; // in the library
  unsigned count = 0;
  std::size_t largest_frame = 0;   // bytes of what one of them keeps
  bool is_recursive = false;       // one of them called itself
  bool is_called_directly = false; // `code`, where that lies elsewhere
};

/// Whether code is of the kernel's library, and that library not the launcher's own: then nothing is known.
bool is_kernel_code(const void* code, const void* library) noexcept;
/// Whether a kernel may be left there for ever: it holds no locks of others. That is so in its own code, in
/// the math library, and in memcpy and its sisters where it called those.
bool may_leave(const void* code, const Calls& calls) noexcept;

/// "wrote through a null pointer"
void describe(FixedText& to, const siginfo_t& signal, const Interrupted& at, const Stack& stack,
              const Calls& calls) noexcept;

void describe_overflow(FixedText& to, const Stack& stack, const Calls& calls) noexcept;

/// "\n  in LIBRARY at 0x12 0x34", as addr2line takes it.
void describe_place(FixedText& to, const Calls& calls) noexcept;

void write_to_stderr(const FixedText& text) noexcept;
/// Writes to standard error, by addr2line if it is installed, the lines of the calls.
void print_lines(const Calls& calls) noexcept;

} // namespace cuda_tile_launcher
