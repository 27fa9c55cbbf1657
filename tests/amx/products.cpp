// Prints a line for each of many products of tiles: its type, size, kind of operands, and a hash of its bits.
//
// It runs as an ordinary program with the model of AMX (CUDA_TILE_EMULATE_AMX), and as the only software of a
// machine with AMX (rom.S), where lines go to the serial port. Both must print the same.
#include <cuda_bf16.h>

#include "cuda_tile.h"

namespace ct = cuda::tiles;

#if CUDA_TILE_EMULATE_AMX

#include <cstdio>

void print(char c) { std::putchar(c); }

#else

unsigned char read_port(unsigned short port) {
  unsigned char value;
  asm volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
  return value;
}
void write_port(unsigned short port, unsigned char value) {
  asm volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

constexpr unsigned short serial_port = 0x3f8;

void wait_for_serial_port(unsigned char state) {
  while ((read_port(serial_port + 5) & state) == 0) {
  }
}
void print(char c) {
  wait_for_serial_port(0x20); // it takes another character
  write_port(serial_port, static_cast<unsigned char>(c));
}

extern "C" void* memcpy(void* to, void const* from, size_t size) {
  void* result = to;
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
  return result;
}
extern "C" void* memset(void* to, int value, size_t size) {
  void* result = to;
  asm volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(value) : "memory");
  return result;
}

#endif

void print(char const* text) {
  while (*text)
    print(*text++);
}
void print(unsigned value) {
  char digits[10];
  unsigned count = 0;
  do
    digits[count++] = static_cast<char>('0' + value % 10);
  while (value /= 10);
  while (count)
    print(digits[--count]);
}

unsigned random() {
  static unsigned state = 0;
  state = state * 1664525 + 1013904223;
  return state >> 8;
}

enum kind { common, limits, subnormal, special, kinds };

/// Floats of a kind: around 1, near the smallest that AMX supports, below it, or with infinities and NaN.
template <typename E>
E random_float(kind which, float limit, float below) {
  float value = static_cast<float>(static_cast<int>(random() % 255) - 127);
  value *= which == limits ? limit : which == subnormal ? below : 0.0625f;
  if (which == special && random() % 64 == 0)
    value = random() % 2 ? __builtin_inff() : __builtin_nanf("");
  return ct::detail::convert<E>(value);
}

template <typename E>
E random_element(kind which) {
  if constexpr (ct::detail::is_same_v<E, __nv_bfloat16>)
    return random_float<E>(which, 0x1p-50f, 0x1p-72f);
  else if constexpr (ct::detail::is_same_v<E, float>)
    return random_float<E>(which, 0x1p-100f, 0x1p-145f);
  else
    return static_cast<E>(random() * 2654435761u);
}

/// Bits that a NaN has are not compared.
template <typename E>
unsigned bits(E value) {
  if (value != value)
    return 0x7fc00000;
  unsigned result;
  __builtin_memcpy(&result, &value, sizeof result);
  return result;
}

template <typename E, typename C, int m, int k, int n>
void multiply(char const* name, kind which) {
  static ct::tile<E, ct::shape<m, k>> left;
  static ct::tile<E, ct::shape<k, n>> right;
  static ct::tile<C, ct::shape<m, n>> sums;
  for (E& element : left.slots)
    element = random_element<E>(which);
  for (E& element : right.slots)
    element = random_element<E>(which);
  for (C& element : sums.slots)
    element = random_element<C>(which);
  sums = ct::mma(left, right, sums);
  unsigned hash = 2166136261u; // FNV-1a
  for (C element : sums.slots)
    hash = (hash ^ bits(element)) * 16777619u;
  print(name);
  for (unsigned const numbers[]{which, m, k, n, hash}; unsigned number : numbers) {
    print(' ');
    print(number);
  }
  print('\n');
}

template <typename E, typename C>
void multiply_all(char const* name, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    kind which = static_cast<kind>(i);
    multiply<E, C, 16, 64, 16>(name, which);
    multiply<E, C, 32, 128, 16>(name, which);
    multiply<E, C, 64, 64, 64>(name, which);
    multiply<E, C, 128, 256, 32>(name, which);
    multiply<E, C, 16, 512, 128>(name, which);
    multiply<E, C, 8, 64, 64>(name, which); // too few rows for AMX
  }
}

extern "C" void run_products() {
#if !CUDA_TILE_EMULATE_AMX
  write_port(serial_port + 3, 3); // 8 bits a character
#endif
  print(ct::platform::amx::is_permitted() ? "with tiles\n" : "without tiles\n");
  multiply_all<unsigned char, int>("unsigned char", 1);
  multiply_all<__nv_bfloat16, float>("bfloat16", kinds);
#if !CUDA_TILE_EMULATE_AMX
  wait_for_serial_port(0x40); // all are sent
#endif
}

#if CUDA_TILE_EMULATE_AMX
int main() { run_products(); }
#endif
