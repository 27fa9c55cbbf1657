// Fibers: ucontext creates a context portably, and setjmp switches contexts without a system call (as in
// QEMU's coroutines).
#undef _FORTIFY_SOURCE // its longjmp mistakes a jump to another stack for an attack
#include "fiber.h"

#include "sanitizer.h"

#include <cstdint>
#include <ucontext.h>

namespace cuda_tile_launcher {

std::unique_ptr<Fiber> Fiber::create(std::size_t stack_bytes, std::size_t guard_bytes) {
  auto fiber = std::make_unique<Fiber>();
  if (!fiber->stack_.reserve(stack_bytes, guard_bytes))
    return nullptr;
  fiber->prepare();
  return fiber;
}

namespace {

/// To be called when back on the stack that resumed a fiber.
void finish_resume(void* kept) noexcept {
  const void* bottom = nullptr;
  std::size_t size = 0;
  finish_switch(kept, bottom, size);
}

} // namespace

// Enters main() on the fiber's stack, which saves its context and returns at once.
void Fiber::prepare() noexcept {
  ucontext_t here, context;
  getcontext(&context);
  context.uc_stack.ss_sp = stack_.base();
  context.uc_stack.ss_size = stack_.size();
  context.uc_link = nullptr;
  const auto address = reinterpret_cast<std::uintptr_t>(this); // makecontext passes only ints
  makecontext(&context, reinterpret_cast<void (*)()>(&Fiber::main), 2, static_cast<unsigned>(address),
              static_cast<unsigned>(static_cast<std::uint64_t>(address) >> 32));
  void* kept = nullptr;
  start_switch(kept, stack_.base(), stack_.size());
  if (!_setjmp(resumer_))
    swapcontext(&here, &context);
  finish_resume(kept);
}

void Fiber::main(unsigned low, unsigned high) {
  auto* self = reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(std::uint64_t{high} << 32 | low));
  finish_switch(nullptr, self->resumer_stack_, self->resumer_stack_size_);
  for (;;) {
    self->finished_ = true;
    self->suspend();
    self->function_(self->argument_);
  }
}

void Fiber::start(Function function, void* argument) noexcept {
  function_ = function;
  argument_ = argument;
  finished_ = false;
}

bool Fiber::resume() noexcept {
  void* kept = nullptr;
  start_switch(kept, stack_.base(), stack_.size());
  if (!_setjmp(resumer_))
    _longjmp(own_, 1);
  finish_resume(kept);
  return finished_;
}

void Fiber::suspend() noexcept {
  start_switch(kept_, resumer_stack_, resumer_stack_size_);
  if (!_setjmp(own_))
    _longjmp(resumer_, 1);
  finish_switch(kept_, resumer_stack_, resumer_stack_size_);
}

void Fiber::leave() noexcept { _longjmp(resumer_, 1); }

std::unique_ptr<Fiber> FiberStore::take() noexcept try {
  {
    std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto fiber = std::move(idle_.back());
      idle_.pop_back();
      return fiber;
    }
  }
  return Fiber::create(stack_bytes_, guard_bytes_);
} catch (...) {
  return nullptr;
}

void FiberStore::give_back(std::unique_ptr<Fiber> fiber, bool trim) noexcept try {
  if (trim)
    fiber->trim(kept_bytes_);
  std::lock_guard lock(mutex_);
  idle_.push_back(std::move(fiber));
} catch (...) {
  // There is no memory to extend the list, so the fiber is destroyed.
}

// Both stores are never destroyed, because pool threads may use them while static objects are destroyed.

FiberStore& block_fibers() {
  static auto* store = new FiberStore(std::size_t{2} << 30, std::size_t{16} << 30, std::size_t{12} << 20);
  return *store;
}

FiberStore& thread_fibers() {
  static auto* store = new FiberStore(std::size_t{256} << 20, std::size_t{256} << 20, std::size_t{256} << 10);
  return *store;
}

} // namespace cuda_tile_launcher
