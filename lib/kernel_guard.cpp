#include "kernel_guard.h"

#include "signals.h"

#include <atomic>
#include <unistd.h>

namespace cuda_tile_launcher {

namespace {

#ifdef __GLIBC__ // other models may allocate memory at the first use
#define CUDA_TILE_STATIC_TLS __attribute__((tls_model("initial-exec")))
#else
#define CUDA_TILE_STATIC_TLS
#endif

/// The guard of the kernel that this thread is running; null between kernels and while a fault is handled.
CUDA_TILE_STATIC_TLS constinit thread_local KernelGuard* volatile current = nullptr;
CUDA_TILE_STATIC_TLS constinit thread_local bool has_handlers = false;

#ifdef __SSE__
unsigned floating_point_control() noexcept { return __builtin_ia32_stmxcsr(); }
void set_floating_point_control(unsigned control) noexcept { __builtin_ia32_ldmxcsr(control); }
#else // handlers run with the control word of the code that they interrupt
unsigned floating_point_control() noexcept { return 0; }
void set_floating_point_control(unsigned) noexcept {}
#endif

} // namespace

KernelGuard::KernelGuard(Launch& launch) noexcept : launch_(launch), control_(floating_point_control()) {
  if (!has_handlers)
    has_handlers = catch_signals({on_fault, on_pause});
}

bool KernelGuard::resume(Fiber& fiber, const cuda_tile_block& block) noexcept {
  fiber_ = &fiber;
  block_ = &block;
  for (;;) {
    current = this;
    fiber_->resume();
    current = nullptr;
    const bool is_finished = fiber_->is_finished();
    if (fault_)
      break;
    if (!is_asked_)
      return is_finished;
    const bool is_paused = is_paused_;
    is_asked_ = 0;
    is_paused_ = 0;
    launch_.ask();
    if (!is_paused)
      return is_finished;
    is_given_up_ = launch_.is_given_up();
    if (is_given_up_)
      break;
  }
  set_floating_point_control(control_);
  return false;
}

void KernelGuard::suspend() noexcept {
  fiber_->suspend();
  current = this;
}

void KernelGuard::hand_over(Fiber& to) noexcept {
  Fiber& from = *fiber_;
  current = nullptr;
  fiber_ = &to;
  from.hand_over(to);
  current = this;
}

bool KernelGuard::stop(const char* text, int reason) noexcept {
  KernelGuard* const self = current;
  if (!self)
    return false;
  current = nullptr;
  self->fiber_->note().clear();
  self->fiber_->note() << text;
  self->launch_.reason.store(reason);
  self->fault_ = 1;
  self->fiber_->suspend(); // for ever
  return true;
}

const cuda_tile_block* KernelGuard::running() noexcept { return current ? current->block_ : nullptr; }

void KernelGuard::report(std::uint64_t ordinal) {
  if (fault_)
    launch_.fail(cuda_tile_fault, ordinal, launch_.place(*block_) + fiber_->note().c_str());
}

// ---- in signal handlers ------------------------------------------------------------------------------

bool KernelGuard::on_fault(const siginfo_t& signal, const void* context) {
  KernelGuard* const self = current;
  if (!self)
    return false;
  current = nullptr;
  const Interrupted at(context);
  const Calls calls(library_of(reinterpret_cast<const void*>(self->launch_.kernel.entry)), at.code());
  FixedText& text = self->fiber_->note();
  text.clear();
  const bool is_sent = signal.si_code <= 0; // perhaps by a handler that ran earlier
  if (self->block_->thrown[0])              // it trapped on purpose
    text << self->block_->thrown;
  else if (is_sent)
    text << "signal " << static_cast<std::uint64_t>(signal.si_signo);
  else
    describe(text, signal, at, self->fiber_->stack(), calls);
  const bool may_go_on = !is_sent && self->block_->locks == 0 && may_leave(at.code(), calls);
  if (const void* of = library_of(at.code()); !may_go_on && !is_sent && of && of != calls.library)
    text << ", in a function of another library";
  if (!self->block_->thrown[0])
    describe_place(text, calls);
  if (!may_go_on) {
    self->print(calls);
    return false;
  }
  self->launch_.reason.store(-signal.si_signo);
  self->launch_.fault_address.store(signal.si_addr);
  self->fault_ = 1;
  self->fiber_->leave();
}

void KernelGuard::print(const Calls& calls) noexcept {
  static std::atomic<bool> is_taken{false};
  if (is_taken.exchange(true)) { // another thread is about to end the process
    sleep(2);
    return;
  }
  const unsigned (&block)[3] = block_->block;
  FixedText line;
  line << "\nkernel '" << launch_.kernel.name << "', block (" << std::uint64_t{block[0]} << ", "
       << std::uint64_t{block[1]} << ", " << std::uint64_t{block[2]} << "): " << fiber_->note().c_str()
       << "\n";
  write_to_stderr(line);
  print_lines(calls);
  if (!launch_.checked) {
    FixedText advice;
    advice << "The launch cannot continue. To find out more, run it with checked=True.\n";
    write_to_stderr(advice);
  }
}

bool KernelGuard::on_pause(const siginfo_t& signal, const void* context) {
  if (signal.si_code != SI_TKILL || signal.si_pid != getpid())
    return false;
  KernelGuard* const self = current;
  if (!self)
    return true;
  self->is_asked_ = 1;
  const void* const library = library_of(reinterpret_cast<const void*>(self->launch_.kernel.entry));
  if (self->block_->locks != 0 || !is_kernel_code(Interrupted(context).code(), library))
    return true; // the launch asks before the next block or barrier, or at the next signal
  current = nullptr;
  self->is_paused_ = 1;
  self->fiber_->suspend();
  return true;
}

} // namespace cuda_tile_launcher
