// Vectors of half from and to float on hosts, by the processor's instructions where it has them: g++ does not
// find these by itself. The bits are those of core/small_float_bits.h.
#pragma once

#include "cuda_tile/platform/host_vectors.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::platform {

#if defined(__F16C__) && defined(__AVX2__)

/// How many are converted at a time, or 0 where there are no such instructions.
inline constexpr unsigned halves_at_once = vector_bytes / 4;

typedef short halves __attribute__((vector_size(vector_bytes / 2)));
#if defined(__clang__)
typedef _Float16 half_numbers __attribute__((vector_size(vector_bytes / 2)));
#endif

inline bool has_nan(vector<float> x) {
#if defined(__AVX512F__) && defined(__AVX512BW__)
  return __builtin_ia32_cmpps512_mask(x, x, 3, (unsigned short)-1, 4) != 0;
#else
  return __builtin_ia32_movmskps256((vector<float>)(x != x)) != 0;
#endif
}

/// The instruction makes NaN quiet, which conversions do not.
[[gnu::noinline]] inline vector<float> with_payloads(vector<float> x, halves bits) {
  for (unsigned l = 0; l < halves_at_once; ++l)
    if (x[l] != x[l])
      x[l] = platform::bit_cast<float>((platform::bit_cast<unsigned>(float(x[l])) & 0xff800000u) |
                                       (static_cast<unsigned>(bits[l]) & 0x3ffu) << 13);
  return x;
}

/// Where nothing depends on what a NaN is, it need not keep its payload.
template <bool KeepsPayloads = true>
inline void floats_of_halves(float* to, void const* from) {
  halves bits = platform::load_vector<halves>(static_cast<char const*>(from));
#if defined(__clang__)
  vector<float> x = __builtin_convertvector(platform::bit_cast<half_numbers>(bits), vector<float>);
#elif defined(__AVX512F__) && defined(__AVX512BW__)
  vector<float> x = __builtin_ia32_vcvtph2ps512_mask(bits, vector<float>{}, short(-1), 4);
#else
  vector<float> x = __builtin_ia32_vcvtph2ps256(bits);
#endif
  if constexpr (KeepsPayloads)
    if (__builtin_expect(platform::has_nan(x), false))
      x = platform::with_payloads(x, bits);
  platform::store_vector(to, x);
}

/// Rounded to nearest, ties to even; NaN loses its sign and payload.
inline void halves_of_floats(void* to, float const* from) {
  vector<float> x = platform::load_vector<vector<float>>(from);
  halves nan = halves{} + short(0x7fff);
#if defined(__clang__)
  halves bits = platform::bit_cast<halves>(__builtin_convertvector(x, half_numbers));
  bits = __builtin_convertvector(x == x, halves) ? bits : nan;
#elif defined(__AVX512F__) && defined(__AVX512BW__)
  unsigned short numbers = __builtin_ia32_cmpps512_mask(x, x, 7, (unsigned short)-1, 4);
  halves bits = __builtin_ia32_vcvtps2ph512_mask(x, 0, nan, numbers);
#else
  halves bits = __builtin_ia32_vcvtps2ph256(x, 0);
  bits = __builtin_convertvector(x == x, halves) ? bits : nan;
#endif
  platform::store_vector(static_cast<char*>(to), bits);
}

#else

inline constexpr unsigned halves_at_once = 0;
template <bool KeepsPayloads = true>
void floats_of_halves(float* to, void const* from);
void halves_of_floats(void* to, float const* from);

#endif

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform
