// Describes a fault in a kernel from its signal. All functions may be called by signal handlers.
#pragma once

#include "fixed_text.h"
#include "stack.h"

#include <csignal>
#include <cstddef>
#include <cstdint>

namespace cuda_tile_launcher {

/// The address of the library that contains `code`; null if it is not known.
const void* library_of(const void* code) noexcept;

/// What the program was doing when a signal arrived, as described by the saved registers.
class Interrupted {
public:
  explicit Interrupted(const void* context) noexcept : context_(context) {}
  const void* code() const noexcept;   // the interrupted instruction
  const void* stack() const noexcept;  // its stack pointer
  const char* access() const noexcept; // "read" or "wrote", if the processor reports it

private:
  const void* context_;
};

/// The chain of calls in a kernel that led to a fault.
struct Calls {
  static constexpr unsigned most = 16;

  /// Collects the calls on the current stack that lie in `library`, innermost first; in a signal handler,
  /// starting at the interrupted `code`.
  Calls(const void* library, const void* code) noexcept;

  const void* const library;
  unsigned long long offsets[most]; // into the library
  unsigned count = 0;
  std::size_t largest_frame = 0;   // bytes
  bool is_recursive = false;       // a function called itself
  bool is_called_directly = false; // the kernel itself called `code`, which lies outside its library
};

/// Whether code belongs to the kernel's library. False if that is the launcher's own, which cannot tell.
bool is_kernel_code(const void* code, const void* library) noexcept;
/// Whether a kernel may be abandoned at `code` because it cannot hold a foreign lock there. That is so in its
/// own code, and in the math library, memcpy and similar functions if it called them directly.
bool may_leave(const void* code, const Calls& calls) noexcept;

/// "wrote through a null pointer"
void describe(FixedText& to, const siginfo_t& signal, const Interrupted& at, const Stack& stack,
              const Calls& calls) noexcept;

void describe_overflow(FixedText& to, const Stack& stack, const Calls& calls) noexcept;

/// "\n  in LIBRARY at 0x12 0x34", in the form that addr2line accepts.
void describe_place(FixedText& to, const Calls& calls) noexcept;

void write_to_stderr(const FixedText& text) noexcept;
/// Writes the source lines of the calls to standard error if addr2line is installed.
void print_lines(const Calls& calls) noexcept;

} // namespace cuda_tile_launcher
