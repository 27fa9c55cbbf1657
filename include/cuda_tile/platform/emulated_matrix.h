// The matrix instructions of platform/cuda_matrix.h, lane by lane: each finds what it needs in the fragments
// of the others, at the places that the PTX manual gives.
#pragma once

#include "cuda_tile/core/convert.h"
#include "cuda_tile/core/scalars.h"

namespace cuda::tiles::platform {

template <typename E>
inline constexpr bool has_matrix_unit = false;
#if CUDA_TILE_BLOCK_THREADS >= 32
template <>
inline constexpr bool has_matrix_unit<__half> = true;
template <>
inline constexpr bool has_matrix_unit<__nv_bfloat16> = true;
#endif

template <unsigned Count, bool Transposed, typename Address>
inline void load_matrices(unsigned* to, Address address) {
  unsigned const g = thread() % 32 / 4, q = thread() % 4;
  for (unsigned i = 0; i < Count; ++i) {
    unsigned short pair[2];
    for (unsigned j = 0; j < 2; ++j) {
      unsigned const row = Transposed ? 2 * q + j : g, column = Transposed ? g : 2 * q + j;
      __builtin_memcpy(&pair[j], static_cast<char const*>(address(8 * i + row)) + 2 * column, 2);
    }
    to[i] = pair[0] | static_cast<unsigned>(pair[1]) << 16;
  }
}

/// Element `half` (0 or 1) of register `i` of a lane of this warp.
template <typename E>
inline float fragment_element(unsigned lane, unsigned i, unsigned half) {
  unsigned short bits;
  unsigned const* words = reinterpret_cast<unsigned const*>(left_words[thread() / 32 * 32 + lane]);
  __builtin_memcpy(&bits, reinterpret_cast<char const*>(words + i) + 2 * half, 2);
  return detail::convert<float>(bit_cast<E>(bits));
}

/// Sums in ascending order, each product added with one rounding. Devices add several products at once, with
/// more bits than a float has but fewer than that would take, and truncate.
template <typename E>
inline void multiply_matrices(float (&d)[4], unsigned const (&a)[4], unsigned const* b) {
  barrier();
  __builtin_memcpy(left_words[thread()], a, 16);
  __builtin_memcpy(left_words[thread()] + 2, b, 8);
  barrier();
  unsigned const g = thread() % 32 / 4, q = thread() % 4;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned const column = 2 * q + i % 2;
    for (unsigned k = 0; k < 16; ++k)
      d[i] = multiply_add(fragment_element<E>(4 * g + k % 8 / 2, i / 2 + k / 8 * 2, k % 2),
                          fragment_element<E>(4 * column + k % 8 / 2, 4 + k / 8, k % 2), d[i]);
  }
}

} // namespace cuda::tiles::platform
