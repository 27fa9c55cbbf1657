#include "signals.h"

#include "sanitizer.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <mutex>
#include <sys/mman.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif

namespace cuda_tile_launcher {

namespace {

#ifdef AT_MINSIGSTKSZ
std::size_t registers_size() noexcept { return getauxval(AT_MINSIGSTKSZ); }
#else
std::size_t registers_size() noexcept { return 0; }
#endif

/// The calling thread's stack for signal handlers, which need one when a kernel's stack overflows.
class AlternateStack {
public:
  AlternateStack() noexcept {
    const std::size_t needed = registers_size() + (std::size_t{16} << 10);
    if (sigaltstack(nullptr, &before_) == 0 && !(before_.ss_flags & SS_DISABLE) && before_.ss_size >= needed)
      return;
    stack_t own{};
    own.ss_size = registers_size() + (std::size_t{64} << 10);
    own.ss_sp = mmap(nullptr, own.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (own.ss_sp == MAP_FAILED)
      return;
    if (sigaltstack(&own, nullptr) == 0)
      own_ = own;
    else
      munmap(own.ss_sp, own.ss_size);
  }
  ~AlternateStack() {
    stack_t now{};
    if (!own_.ss_sp || sigaltstack(nullptr, &now) != 0)
      return;
    if (now.ss_sp == own_.ss_sp)
      sigaltstack(&before_, nullptr);
    munmap(own_.ss_sp, own_.ss_size);
  }

private:
  stack_t before_{}, own_{};
};

SignalFunctions called;
struct sigaction previous[NSIG];

/// Does what the signal would have done without these handlers.
void pass_on(int signal, siginfo_t* info, void* context) noexcept {
  struct sigaction& before = previous[signal];
  const bool is_sent = info->si_code <= 0; // and not a fault
  if (!(before.sa_flags & SA_SIGINFO) && before.sa_handler == SIG_IGN && is_sent)
    return;
  if (!(before.sa_flags & SA_SIGINFO) && (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN)) {
    if (signal == pause_signal)
      return;
    ::signal(signal, SIG_DFL); // the faulting instruction runs again
    if (is_sent)
      raise(signal);
    return;
  }
  sigset_t blocked = before.sa_mask, old;
  if (!(before.sa_flags & SA_NODEFER))
    sigaddset(&blocked, signal);
  pthread_sigmask(SIG_BLOCK, &blocked, &old);
  const struct sigaction handler = before;
  if (before.sa_flags & SA_RESETHAND) {
    before = {};
    before.sa_handler = SIG_DFL;
  }
  if (handler.sa_flags & SA_SIGINFO)
    handler.sa_sigaction(signal, info, context);
  else
    handler.sa_handler(signal);
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
}

void on_signal(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  const auto function = signal == pause_signal ? called.pause : called.fault;
  if (!function(*info, context))
    pass_on(signal, info, context);
  errno = error;
}

void install() noexcept {
  const auto replace = [](int signal, int flags) {
    sigaction(signal, nullptr, &previous[signal]); // must be set before the first call
    struct sigaction own{};
    own.sa_sigaction = on_signal;
    own.sa_flags =
        SA_SIGINFO | SA_NODEFER | SA_RESTART | flags; // nothing is blocked: handlers may leave by a jump
    sigemptyset(&own.sa_mask);
    sigaction(signal, &own, nullptr);
  };
  for (const int signal : fault_signals)
    replace(signal, SA_ONSTACK);
  replace(pause_signal, 0); // runs on the kernel's own stack, which it suspends
}

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
constexpr bool is_known_system = true;
#else
constexpr bool is_known_system = false;
#endif

} // namespace

bool catch_signals(const SignalFunctions& functions) noexcept {
  if (!is_known_system || __sanitizer_start_switch_fiber)
    return false;
  thread_local AlternateStack stack;
  static std::once_flag once;
  std::call_once(once, [&] {
    called = functions;
    install();
  });
  return true;
}

} // namespace cuda_tile_launcher
