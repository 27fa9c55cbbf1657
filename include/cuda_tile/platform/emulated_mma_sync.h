// The matrix instructions of platform/cuda_mma_sync.h, emulated lane by lane: each finds what it needs in the
// fragments of the others, at the places that the PTX manual gives.
#pragma once

#include "cuda_tile/core/convert.h"
#include "cuda_tile/core/scalars.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::platform {

// CUDA_TILE_MATRIX_ARCH: the compute capability, times 10, whose matrix instructions are emulated.
#if CUDA_TILE_BLOCK_THREADS < 32
inline constexpr unsigned matrix_arch = 0;
#elif defined(CUDA_TILE_MATRIX_ARCH)
inline constexpr unsigned matrix_arch = CUDA_TILE_MATRIX_ARCH;
#else
inline constexpr unsigned matrix_arch = 90;
#endif

inline unsigned select_bytes(unsigned low, unsigned high, unsigned which) {
  unsigned long long const both = low | static_cast<unsigned long long>(high) << 32;
  unsigned selected = 0;
  for (unsigned i = 0; i < 4; ++i)
    selected |= static_cast<unsigned>(both >> 8 * (which >> 4 * i & 7) & 0xff) << 8 * i;
  return selected;
}

inline unsigned multiply_halves(unsigned a, unsigned b) {
  using half = detail::format_of<__half>;
  auto const product = [&](unsigned shift) {
    return half::from_float(half::to_float(a >> shift & 0xffff) * half::to_float(b >> shift & 0xffff))
           << shift;
  };
  return product(0) | product(16);
}

template <unsigned Count, bool Transposed, typename Address>
inline void load_matrices(unsigned* to, Address address) {
  unsigned const g = thread() % 32 / 4, q = thread() % 4;
  for (unsigned i = 0; i < Count; ++i) {
    unsigned short pair[2];
    for (unsigned j = 0; j < 2; ++j) {
      unsigned const row = Transposed ? 2 * q + j : g, column = Transposed ? g : 2 * q + j;
      __builtin_memcpy(&pair[j], reinterpret_cast<char const*>(address(8 * i + row)) + 2 * column, 2);
    }
    to[i] = pair[0] | static_cast<unsigned>(pair[1]) << 16;
  }
}

inline unsigned transpose_matrix(unsigned pair) {
  barrier();
  left_words[thread()][0] = pair;
  barrier();
  unsigned const g = thread() % 32 / 4, q = thread() % 4, first = thread() / 32 * 32 + g / 2;
  auto const row = [&](unsigned r) { return left_words[first + 4 * r][0] >> 16 * (g % 2) & 0xffff; };
  return static_cast<unsigned>(row(2 * q) | row(2 * q + 1) << 16);
}

/// Element `part` of word i of the registers that a lane of this warp left for the others; words 0 to 3 are
/// a, 4 and 5 are b.
template <typename E, typename Word>
inline E fragment_element(unsigned lane, unsigned i, unsigned part) {
  E element;
  char const* words = reinterpret_cast<char const*>(left_words[thread() / 32 * 32 + lane]);
  __builtin_memcpy(&element, words + i * sizeof(Word) + part * sizeof(E), sizeof(E));
  return element;
}

inline float add_product(float a, float b, float sum) { return multiply_add(a, b, sum); }
inline double add_product(double a, double b, double sum) { return fma(a, b, sum); }
inline int add_product(int a, int b, int sum) {
  return static_cast<int>(static_cast<unsigned>(a * b) + static_cast<unsigned>(sum));
}

/// Sums in ascending order, each product added with one rounding. Devices do so for doubles; for other types
/// they add several products at once, with more bits than a float has but fewer than an exact sum would take,
/// and truncate.
template <typename L, typename R, typename Sum, typename Word>
inline void multiply_matrices(Sum& d0, Sum& d1, Sum& d2, Sum& d3, Word const (&a)[4], Word const (&b)[2]) {
  Sum* const d[4] = {&d0, &d1, &d2, &d3};
  static_assert(6 * sizeof(Word) <= sizeof left_words[0]);
  constexpr unsigned per_word = sizeof(Word) / sizeof(L);
  barrier();
  char* left = reinterpret_cast<char*>(left_words[thread()]);
  __builtin_memcpy(left, a, sizeof a);
  __builtin_memcpy(left + sizeof a, b, sizeof b);
  barrier();
  unsigned const g = thread() % 32 / 4, q = thread() % 4;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned const column = 2 * q + i % 2;
    for (unsigned k = 0; k < 8 * per_word; ++k) {
      unsigned const word = k / per_word, part = k % per_word;
      *d[i] = platform::add_product(
          detail::convert<Sum>(fragment_element<L, Word>(4 * g + word % 4, i / 2 + word / 4 * 2, part)),
          detail::convert<Sum>(fragment_element<R, Word>(4 * column + word % 4, 4 + word / 4, part)), *d[i]);
    }
  }
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform
