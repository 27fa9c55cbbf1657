// The process's signal handlers for what happens in kernels. Installed with the first launch, for good.
#pragma once

#include <csignal>

namespace cuda_tile_launcher {

/// What the handlers call on a thread that runs a kernel. They were not called where these return false.
struct SignalFunctions {
  bool (*fault)(const siginfo_t& signal, const void* context); // SIGSEGV and its sisters
  bool (*pause)(const siginfo_t& signal, const void* context); // pause_signal
};

/// Harmless where it comes by mistake: programs ignore it, and debuggers do not stop at it.
constexpr int pause_signal = SIGURG;
constexpr int fault_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};

/// Makes the calling thread one whose stacks may run over, and at the first call installs the handlers. Other
/// handlers, installed before, get what the functions do not want. False: not on this system, or under
/// AddressSanitizer, which has handlers of its own.
bool catch_signals(const SignalFunctions& functions) noexcept;

} // namespace cuda_tile_launcher
