#include "fault.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>
#ifdef __linux__
#include <ucontext.h>
#endif

namespace cuda_tile_launcher {

// ---- text --------------------------------------------------------------------------------------------

FixedText& FixedText::operator<<(const char* text) noexcept {
  while (*text && size_ + 1 < sizeof text_)
    text_[size_++] = *text++;
  text_[size_] = 0;
  return *this;
}

FixedText& FixedText::write(std::uint64_t number, unsigned base) noexcept {
  char digits[24] = {};
  char* first = digits + sizeof digits - 1;
  do
    *--first = "0123456789abcdef"[number % base];
  while (number /= base);
  return *this << first;
}

// ---- where -------------------------------------------------------------------------------------------

const void* library_of(const void* code) noexcept {
  Dl_info info;
  return dladdr(code, &info) ? info.dli_fbase : nullptr;
}

const void* Interrupted::code() const noexcept {
#if defined(__linux__) && defined(__x86_64__)
  return reinterpret_cast<const void*>(static_cast<const ucontext_t*>(context_)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__linux__) && defined(__aarch64__)
  return reinterpret_cast<const void*>(static_cast<const ucontext_t*>(context_)->uc_mcontext.pc);
#else
  return nullptr;
#endif
}

const void* Interrupted::stack() const noexcept {
#if defined(__linux__) && defined(__x86_64__)
  return reinterpret_cast<const void*>(static_cast<const ucontext_t*>(context_)->uc_mcontext.gregs[REG_RSP]);
#elif defined(__linux__) && defined(__aarch64__)
  return reinterpret_cast<const void*>(static_cast<const ucontext_t*>(context_)->uc_mcontext.sp);
#else
  return nullptr;
#endif
}

const char* Interrupted::access() const noexcept {
#if defined(__linux__) && defined(__x86_64__)
  const auto& registers = static_cast<const ucontext_t*>(context_)->uc_mcontext.gregs;
  if (registers[REG_TRAPNO] == 14) // a page fault
    return registers[REG_ERR] & 2 ? "wrote" : "read";
#endif
  return "read or wrote";
}

Calls::Calls(const void* of_library, const void* code) noexcept : library(of_library) {
  struct Walk {
    Calls& calls;
    const void* code;
    bool is_behind = false; // the handler's own frames
    bool is_next = false;   // the caller of the interrupted function
    std::uintptr_t frame = 0;
    unsigned steps = 0;
  } walk{*this, code};
  _Unwind_Backtrace(
      [](_Unwind_Context* context, void* data) {
        auto& [calls, interrupted, is_behind, is_next, frame, steps] = *static_cast<Walk*>(data);
        int is_before_call = 0;
        const std::uintptr_t pc = _Unwind_GetIPInfo(context, &is_before_call);
        if (!is_behind && interrupted && pc != reinterpret_cast<std::uintptr_t>(interrupted))
          return _URC_NO_REASON;
        const std::uintptr_t call = pc - (is_before_call || (!is_behind && interrupted) ? 0 : 1);
        const bool is_kernel =
            calls.library && library_of(reinterpret_cast<const void*>(call)) == calls.library;
        const std::uintptr_t above = _Unwind_GetCFA(context);
        if (frame != 0 && above > frame)
          calls.largest_frame = std::max<std::size_t>(calls.largest_frame, above - frame);
        frame = above;
        calls.is_called_directly |= is_next && is_kernel;
        is_next = !is_behind;
        is_behind = true;
        if (is_kernel) {
          const auto offset = call - reinterpret_cast<std::uintptr_t>(calls.library);
          unsigned long long* const end = calls.offsets + calls.count;
          calls.is_recursive |= std::find(calls.offsets, end, offset) != end;
          calls.offsets[calls.count++] = offset;
        }
        return calls.count == most || ++steps == 64 ? _URC_END_OF_STACK : _URC_NO_REASON;
      },
      &walk);
}

namespace {

/// memcpy, memmove and memset lie side by side, in variants that jump into each other.
bool is_near(const void* code, const void* function) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(code), begin = reinterpret_cast<std::uintptr_t>(function);
  return at + 1024 > begin && at < begin + 4096;
}

bool copies_memory(const void* code) noexcept {
  return is_near(code, reinterpret_cast<const void*>(&std::memcpy)) ||
         is_near(code, reinterpret_cast<const void*>(&std::memmove)) ||
         is_near(code, reinterpret_cast<const void*>(&std::memset));
}

bool is_math_library(const char* path) noexcept {
  const char* const slash = std::strrchr(path, '/');
  const char* const name = slash ? slash + 1 : path;
  return std::strncmp(name, "libm.", 5) == 0 || std::strncmp(name, "libm-", 5) == 0 ||
         std::strncmp(name, "libmvec", 7) == 0;
}

} // namespace

bool is_kernel_code(const void* code, const void* library) noexcept {
  return library && library_of(code) == library &&
         library != library_of(reinterpret_cast<const void*>(&is_kernel_code));
}

bool may_leave(const void* code, const Calls& calls) noexcept {
  // The launcher may be in the same library, but its own code does not fault.
  if (calls.library && library_of(code) == calls.library)
    return true;
  Dl_info info;
  return calls.is_called_directly && dladdr(code, &info) &&
         (copies_memory(code) || is_math_library(info.dli_fname));
}

// ---- what --------------------------------------------------------------------------------------------

void describe_overflow(FixedText& to, const Stack& stack, const Calls& calls) noexcept {
  to << "stack overflow: its local variables take more than the " << (stack.size() >> 20)
     << " MiB of its stack";
  if (calls.is_recursive)
    to << "; its functions call each other endlessly or too deeply";
  else if (calls.largest_frame >> 20)
    to << ", and those of one function alone " << (calls.largest_frame >> 20)
       << " MiB; use smaller tiles, or fewer that are needed at once";
}

namespace {

void describe_access(FixedText& to, const siginfo_t& signal, const Interrupted& at) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(signal.si_addr);
#ifdef SI_KERNEL
  if (signal.si_code == SI_KERNEL) {
    to << "read or wrote at an address that no memory can have";
    return;
  }
#endif
  if (at.code() == signal.si_addr) {
    (to << "called a function at address ").hex(address) << ", where there is none";
    return;
  }
  to << at.access() << " ";
  if (signal.si_signo == SIGBUS)
    (to << "at address ").hex(address) << ", which is misaligned or beyond the end of a mapped file";
  else if (address < 65536)
    (to << "through a null pointer, at address ").hex(address);
  else if (signal.si_code == SEGV_ACCERR)
    (to << "at address ").hex(address) << ", where that is not allowed";
  else
    (to << "at address ").hex(address) << ", where there is no memory";
}

} // namespace

void describe(FixedText& to, const siginfo_t& signal, const Interrupted& at, const Stack& stack,
              const Calls& calls) noexcept {
  if (signal.si_signo == SIGFPE)
    to << "an integer division by zero, or of the smallest integer by -1";
  else if (signal.si_signo == SIGILL || signal.si_signo == SIGTRAP)
    to << "a trap, or an instruction that this processor does not have";
  // Signals are not delivered where the stack has no memory: the system reports another fault then.
  else if (signal.si_signo == SIGSEGV && (stack.guards(signal.si_addr) || stack.guards(at.stack())))
    describe_overflow(to, stack, calls);
  else
    describe_access(to, signal, at);
}

void describe_place(FixedText& to, const Calls& calls) noexcept {
  Dl_info info;
  if (calls.count == 0 || !dladdr(calls.library, &info))
    return;
  to << "\n  in " << info.dli_fname << " at";
  for (unsigned i = 0; i != calls.count; ++i)
    (to << " ").hex(calls.offsets[i]);
}

void write_to_stderr(const FixedText& text) noexcept {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.c_str(), text.size());
}

void print_lines(const Calls& calls) noexcept {
  Dl_info info;
  if (calls.count == 0 || !dladdr(calls.library, &info))
    return;
  char offsets[Calls::most][19];
  char* command[Calls::most + 8] = {const_cast<char*>("addr2line"), const_cast<char*>("-Cfip"),
                                    const_cast<char*>("-e"), const_cast<char*>(info.dli_fname)};
  for (unsigned i = 0; i != calls.count; ++i) {
    FixedText offset;
    offset.hex(calls.offsets[i]);
    command[4 + i] = std::strcpy(offsets[i], offset.c_str());
  }
  const pid_t child = vfork();
  if (child == 0) {
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execvp(command[0], command);
    _exit(1);
  }
  if (child > 0)
    waitpid(child, nullptr, 0);
}

} // namespace cuda_tile_launcher
