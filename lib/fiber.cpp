#include "fiber.h"

#include "sanitizer.h"

#include <atomic>

namespace cuda_tile_launcher {

namespace {

/// How much of a new stack stays unused. Stacks lie at distances of powers of two: without this, what their
/// functions use would compete for the same few places in the processor's caches.
std::size_t unused_part() noexcept {
  static std::atomic<unsigned> number{0};
  constexpr std::size_t page = 4096, line = 64;
  return number.fetch_add(1, std::memory_order_relaxed) * (page + line) % Fiber::most_unused;
}

} // namespace

std::unique_ptr<Fiber> Fiber::create(std::size_t stack_bytes, std::size_t guard_bytes) {
  auto fiber = std::make_unique<Fiber>();
  if (!fiber->stack_.reserve(stack_bytes, guard_bytes))
    return nullptr;
  fiber->usable_ = fiber->stack_.size() - unused_part();
  fiber->prepare();
  return fiber;
}

Fiber::~Fiber() { end_fiber(watched_); }

void Fiber::prepare() noexcept {
  finished_ = true;
  own_.start(stack_.base(), usable_, main, this);
  end_fiber(watched_);
  watched_ = begin_fiber();
}

void Fiber::main(void* fiber) {
  auto* const self = static_cast<Fiber*>(fiber);
  finish_switch(nullptr, self->resumer_stack_, self->resumer_stack_size_);
  for (;;) {
    self->function_(self->argument_);
    self->finished_ = true;
    self->suspend();
  }
}

void Fiber::start(Function function, void* argument) noexcept {
  function_ = function;
  argument_ = argument;
  finished_ = false;
}

bool Fiber::resume() noexcept {
  void* kept = nullptr;
  watched_resumer_ = current_fiber();
  start_switch(kept, stack_.base(), stack_.size(), watched_);
  resumer_.switch_to(own_);
  const void* bottom = nullptr;
  std::size_t size = 0;
  finish_switch(kept, bottom, size);
  return finished_;
}

void Fiber::suspend() noexcept {
  start_switch(kept_, resumer_stack_, resumer_stack_size_, watched_resumer_);
  own_.switch_to(resumer_);
  finish_switch(kept_, resumer_stack_, resumer_stack_size_);
}

void Fiber::leave() noexcept {
  suspend();
  __builtin_unreachable();
}

bool Fiber::can_hand_over() noexcept { return SavedPlace::can_be_copied && !switches_are_watched(); }

void Fiber::hand_over(Fiber& to) noexcept {
  to.resumer_ = resumer_;
  own_.switch_to(to.own_);
}

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
