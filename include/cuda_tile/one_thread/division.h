// Rows of floats divided by one number each, with one thread a block.
#pragma once

#include "cuda_tile/core/elements.h"
#include "cuda_tile/platform/host_division.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// Whether rows of N elements E are divided in whole vectors, by way of 1 / divisor.
template <typename E, unsigned N>
inline constexpr bool divides_rows =
    platform::has_division_by_one && is_same_v<E, float> && N % (platform::vector_bytes / sizeof(float)) == 0;

/// Powers of two by which dividing is multiplying.
CUDA_TILE_API bool has_exact_inverse(float x) {
  return (platform::bit_cast<unsigned>(x) & 0x7fffffu) == 0 && x >= 0x1p-126f && x <= 0x1p126f;
}

/// By value, so that a row may stay in registers.
__attribute__((noinline)) inline platform::vector<float> divide_elements(platform::vector<float> x,
                                                                         float divisor) {
  return x / divisor;
}

/// to = x / divisor for N floats, which fill vectors.
template <unsigned N>
CUDA_TILE_API void divide_row(float* to, float const* x, float divisor) {
  using V = platform::vector<float>;
  constexpr unsigned lanes = platform::vector_bytes / sizeof(float), vectors = N / lanes;
  constexpr unsigned part = vectors % 4 == 0 ? 4 : vectors % 2 == 0 ? 2 : 1;
  V const divisors = divisor - V{}, inverses = 1.0f / divisor - V{};
  if (__builtin_constant_p(divisor) && detail::has_exact_inverse(divisor)) {
    for (unsigned i = 0; i < N; i += lanes)
      platform::store_vector(to + i, platform::load_vector<V>(x + i) * inverses);
    return;
  }
  bool const is_moderate = platform::is_moderate_divisor(divisor);
  for (unsigned i = 0; i < vectors; i += part) {
    V row[part];
    for (unsigned v = 0; v < part; ++v)
      row[v] = platform::load_vector<V>(x + (i + v) * lanes);
    if (__builtin_expect(is_moderate && platform::are_moderate_dividends(row), true))
      for (unsigned v = 0; v < part; ++v)
        row[v] = platform::divide_by_one(row[v], divisors, inverses);
    else
      for (unsigned v = 0; v < part; ++v)
        row[v] = detail::divide_elements(row[v], divisor);
    for (unsigned v = 0; v < part; ++v)
      platform::store_vector(to + (i + v) * lanes, row[v]);
  }
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
