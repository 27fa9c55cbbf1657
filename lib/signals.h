// The process's signal handlers for faults in kernels. The first launch installs them permanently.
#pragma once

#include <csignal>

namespace cuda_tile_launcher {

/// The functions that the handlers call. If one returns false, the signal is passed to the previous handler.
struct SignalFunctions {
  bool (*fault)(const siginfo_t& signal, const void* context); // SIGSEGV and similar signals
  bool (*pause)(const siginfo_t& signal, const void* context); // pause_signal
};

/// Harmless if it arrives by mistake: programs ignore it, and debuggers do not stop at it.
constexpr int pause_signal = SIGURG;
constexpr int fault_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};

/// Prepares the calling thread for stack overflows; the first call also installs the handlers. Signals that
/// the functions decline go to the handlers that were installed before. Returns false if this system is not
/// supported, or under AddressSanitizer, which has handlers of its own.
bool catch_signals(const SignalFunctions& functions) noexcept;

} // namespace cuda_tile_launcher
