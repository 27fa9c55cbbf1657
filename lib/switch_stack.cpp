#include "switch_stack.h"

#if defined(__x86_64__) || defined(__aarch64__)

namespace {

// The registers that a call keeps go to the stack, and its pointer to *left; those at `next` are restored.
extern "C" __attribute__((visibility("hidden"))) void cuda_tile_switch_stack(void** left, void* next);
extern "C" __attribute__((visibility("hidden"))) void
cuda_tile_start_stack(); // calls a function that is in a register

} // namespace

#if defined(__x86_64__)
// The jump at the end, in place of a return, is one that processors predict.
asm(R"(
  .text
  .p2align 4
  .globl cuda_tile_switch_stack
  .hidden cuda_tile_switch_stack
  .type cuda_tile_switch_stack, @function
cuda_tile_switch_stack:
  .cfi_startproc
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  retq
  .cfi_endproc
  .size cuda_tile_switch_stack, .-cuda_tile_switch_stack

  .p2align 4
  .globl cuda_tile_start_stack
  .hidden cuda_tile_start_stack
  .type cuda_tile_start_stack, @function
cuda_tile_start_stack:
  .cfi_startproc
  .cfi_undefined rip
  movq %r13, %rdi
  callq *%r12
  ud2
  .cfi_endproc
  .size cuda_tile_start_stack, .-cuda_tile_start_stack
)");

namespace {
constexpr std::size_t saved_words = 7, of_return = 6, of_main = 3, of_argument = 2; // from the lowest
} // namespace

#else
asm(R"(
  .text
  .p2align 4
  .globl cuda_tile_switch_stack
  .hidden cuda_tile_switch_stack
  .type cuda_tile_switch_stack, %function
cuda_tile_switch_stack:
  .cfi_startproc
  stp x19, x20, [sp, #-160]!
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  ldp x19, x20, [sp], #160
  ret
  .cfi_endproc
  .size cuda_tile_switch_stack, .-cuda_tile_switch_stack

  .p2align 4
  .globl cuda_tile_start_stack
  .hidden cuda_tile_start_stack
  .type cuda_tile_start_stack, %function
cuda_tile_start_stack:
  .cfi_startproc
  .cfi_undefined x30
  mov x0, x20
  blr x19
  brk #0
  .cfi_endproc
  .size cuda_tile_start_stack, .-cuda_tile_start_stack
)");

namespace {
constexpr std::size_t saved_words = 20, of_return = 11, of_main = 0, of_argument = 1; // from the lowest
} // namespace
#endif

namespace cuda_tile_launcher {

void SavedPlace::start(void* stack, std::size_t size, void (*main)(void*), void* argument) noexcept {
  const auto top = (reinterpret_cast<std::uintptr_t>(stack) + size) & ~std::uintptr_t{15};
  auto* const words = reinterpret_cast<void**>(top) - saved_words - 2; // the calls of main are aligned
  for (std::size_t i = 0; i != saved_words; ++i)
    words[i] = nullptr;
  words[of_return] = reinterpret_cast<void*>(&cuda_tile_start_stack);
  words[of_main] = reinterpret_cast<void*>(main);
  words[of_argument] = argument;
  pointer_ = words;
}

void SavedPlace::switch_to(SavedPlace& to) noexcept { cuda_tile_switch_stack(&pointer_, to.pointer_); }

} // namespace cuda_tile_launcher

#else // by the C library, which makes system calls

#include <ucontext.h>

namespace cuda_tile_launcher {

namespace {

ucontext_t* context_of(void*& pointer) { // never freed: fibers are kept for ever
  if (!pointer)
    pointer = new ucontext_t;
  return static_cast<ucontext_t*>(pointer);
}

void call(unsigned main_low, unsigned main_high, unsigned low,
          unsigned high) { // makecontext passes only ints
  const auto join = [](unsigned a, unsigned b) {
    return static_cast<std::uintptr_t>(std::uint64_t{b} << 32 | a);
  };
  reinterpret_cast<void (*)(void*)>(join(main_low, main_high))(reinterpret_cast<void*>(join(low, high)));
}

} // namespace

void SavedPlace::start(void* stack, std::size_t size, void (*main)(void*), void* argument) noexcept {
  ucontext_t* const context = context_of(pointer_);
  getcontext(context);
  context->uc_stack.ss_sp = stack;
  context->uc_stack.ss_size = size;
  context->uc_link = nullptr;
  const auto of_main = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(main));
  const auto of_argument = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(argument));
  makecontext(context, reinterpret_cast<void (*)()>(&call), 4, static_cast<unsigned>(of_main),
              static_cast<unsigned>(of_main >> 32), static_cast<unsigned>(of_argument),
              static_cast<unsigned>(of_argument >> 32));
}

void SavedPlace::switch_to(SavedPlace& to) noexcept {
  swapcontext(context_of(pointer_), context_of(to.pointer_));
}

} // namespace cuda_tile_launcher

#endif
