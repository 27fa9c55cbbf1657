// printf of kernels that Python launches: the text is kept until the launch is over, then written to Python's
// sys.stdout, which may belong to a notebook. The C library's functions are replaced only within the kernels'
// own shared library.
#pragma once

#include "cuda_tile/platform/platform.h"

#if defined(__linux__)

#define CUDA_TILE_EXPORTED __attribute__((visibility("default")))

namespace cuda_tile {

/// Text that was printed and not yet taken. Many blocks print at once, so a lock guards it.
struct print_buffer {
  char* text = nullptr;
  unsigned long capacity = 0;
  bool locked = false;

  void lock() {
    note_locks(1);
    while (__atomic_exchange_n(&locked, true, __ATOMIC_ACQUIRE))
      ;
  }
  void unlock() {
    __atomic_store_n(&locked, false, __ATOMIC_RELEASE);
    note_locks(-1u);
  }
  /// Counts the lock for the launcher, whose signal handlers may look at it at any moment.
  static void note_locks(unsigned more) {
    if (cuda_tile_block* block = cuda::tiles::platform::current_block)
      __atomic_store_n(&block->locks, block->locks + more, __ATOMIC_SEQ_CST);
  }
};

inline print_buffer printed;

} // namespace cuda_tile

extern "C" {

CUDA_TILE_EXPORTED unsigned long cuda_tile_output_size = 0;

/// The text printed so far, to be freed with cuda_tile_free_output; `size` becomes its length in bytes.
CUDA_TILE_EXPORTED char* cuda_tile_take_output(unsigned long* size) {
  cuda_tile::printed.lock();
  char* const text = cuda_tile::printed.text;
  *size = cuda_tile_output_size;
  cuda_tile::printed.text = nullptr;
  cuda_tile::printed.capacity = cuda_tile_output_size = 0;
  cuda_tile::printed.unlock();
  return text;
}

CUDA_TILE_EXPORTED void cuda_tile_free_output(char* text) { __builtin_free(text); }
}

namespace cuda_tile {

/// Appends what printf would print; a line that does not fit in memory is lost, as on a GPU.
inline int print(char const* format, __builtin_va_list arguments) {
  __builtin_va_list again;
  __builtin_va_copy(again, arguments);
  const int length = __builtin_vsnprintf(nullptr, 0, format, again);
  __builtin_va_end(again);
  if (length < 0)
    return length;
  printed.lock();
  const unsigned long needed = cuda_tile_output_size + static_cast<unsigned long>(length) + 1;
  if (needed > printed.capacity) {
    if (void* const more = __builtin_realloc(printed.text, 2 * needed)) {
      printed.text = static_cast<char*>(more);
      printed.capacity = 2 * needed;
    }
  }
  if (needed <= printed.capacity) {
    __builtin_vsnprintf(printed.text + cuda_tile_output_size, static_cast<unsigned long>(length) + 1, format,
                        arguments);
    cuda_tile_output_size += static_cast<unsigned long>(length);
  }
  printed.unlock();
  return length;
}

} // namespace cuda_tile

// The functions that compilers turn calls of printf into. They have other names in C++, since <cstdio> may
// define the originals inline; they are hidden so that only calls from this library reach them.
#define CUDA_TILE_HIDDEN __attribute__((visibility("hidden"), used))
#define CUDA_TILE_PRINT(length)                                                                              \
  __builtin_va_list arguments;                                                                               \
  __builtin_va_start(arguments, format);                                                                     \
  const int length = cuda_tile::print(format, arguments);                                                    \
  __builtin_va_end(arguments)

extern "C" {

int cuda_tile_printf(char const* format, ...) __asm__("printf") CUDA_TILE_HIDDEN;
int cuda_tile_printf_chk(int, char const* format, ...) __asm__("__printf_chk") CUDA_TILE_HIDDEN;
int cuda_tile_puts(char const* text) __asm__("puts") CUDA_TILE_HIDDEN;
int cuda_tile_putchar(int character) __asm__("putchar") CUDA_TILE_HIDDEN;
int cuda_tile_putc(int character, void* stream) __asm__("putc") CUDA_TILE_HIDDEN;
int cuda_tile_fputc(int character, void* stream) __asm__("fputc");
extern void* cuda_tile_stdout __asm__("stdout");

int cuda_tile_printf(char const* format, ...) {
  CUDA_TILE_PRINT(length);
  return length;
}

int cuda_tile_printf_chk(int, char const* format, ...) {
  CUDA_TILE_PRINT(length);
  return length;
}

int cuda_tile_puts(char const* text) { return cuda_tile_printf("%s\n", text); }

int cuda_tile_putchar(int character) {
  cuda_tile_printf("%c", character);
  return character;
}

int cuda_tile_putc(int character, void* stream) {
  return stream == cuda_tile_stdout ? cuda_tile_putchar(character) : cuda_tile_fputc(character, stream);
}
}

#undef CUDA_TILE_HIDDEN
#undef CUDA_TILE_PRINT
#undef CUDA_TILE_EXPORTED
#endif
