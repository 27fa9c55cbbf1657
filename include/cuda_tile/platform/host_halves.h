// Vectors of half from and to float on hosts, and of bfloat16 from float, by the processor's instructions
// where it has them: g++ does not find these by itself. The bits are those of core/small_float_bits.h.
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

/// Whether one of them is NaN.
inline bool has_nan(vector<short> bits) {
  auto const magnitudes = bits & short(0x7fff), infinities = vector<short>{} + short(0x7c00);
#if defined(__AVX512F__) && defined(__AVX512BW__)
  constexpr int greater = 6;
  return __builtin_ia32_cmpw512_mask(magnitudes, infinities, greater, ~0u) != 0;
#else
  return !platform::is_zero((vector<long long>)(magnitudes > infinities));
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

inline vector<float> floats_of(halves bits) {
#if defined(__clang__)
  return __builtin_convertvector(platform::bit_cast<half_numbers>(bits), vector<float>);
#elif defined(__AVX512F__) && defined(__AVX512BW__)
  return __builtin_ia32_vcvtph2ps512_mask(bits, vector<float>{}, short(-1), 4);
#else
  return __builtin_ia32_vcvtph2ps256(bits);
#endif
}

/// Where nothing depends on what a NaN is, it need not keep its payload.
template <bool KeepsPayloads = true>
inline void floats_of_halves(float* to, void const* from) {
  halves bits = platform::load_vector<halves>(static_cast<char const*>(from));
  vector<float> x = platform::floats_of(bits);
  if constexpr (KeepsPayloads)
    if (__builtin_expect(platform::has_nan(x), false))
      x = platform::with_payloads(x, bits);
  platform::store_vector(to, x);
}

/// The first or the second half of a vector, which need not go through memory.
template <bool Second>
inline halves part_of(vector<short> x) {
#if __has_builtin(__builtin_shufflevector)
  auto const words = (vector<long long>)x;
  if constexpr (constexpr int first = Second ? vector_bytes / 16 : 0; vector_bytes == 64)
    return (halves)__builtin_shufflevector(words, words, first, first + 1, first + 2, first + 3);
  else
    return (halves)__builtin_shufflevector(words, words, first, first + 1);
#else
  halves parts[2];
  __builtin_memcpy(parts, &x, sizeof x);
  return parts[Second];
#endif
}

/// The same for twice as many, of which one test suffices.
template <bool KeepsPayloads = true>
inline void floats_of_two(float* to, void const* from) {
  auto const bits = platform::load_vector<vector<short>>(static_cast<char const*>(from));
  halves const low = platform::part_of<false>(bits), high = platform::part_of<true>(bits);
  vector<float> x = platform::floats_of(low), y = platform::floats_of(high);
  if constexpr (KeepsPayloads)
    if (__builtin_expect(platform::has_nan(bits), false)) {
      x = platform::with_payloads(x, low);
      y = platform::with_payloads(y, high);
    }
  platform::store_vector(to, x);
  platform::store_vector(to + halves_at_once, y);
}

/// Rounded to nearest, ties to even; NaN loses its sign and payload.
inline halves halves_of(vector<float> x) {
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
  return bits;
}
inline void halves_of_floats(void* to, float const* from) {
  platform::store_vector(static_cast<char*>(to),
                         platform::halves_of(platform::load_vector<vector<float>>(from)));
}

/// Floats rounded to what half can hold; NaN may keep anything.
inline vector<float> rounded_to_half(vector<float> x) {
#if defined(__clang__)
  return platform::floats_of(platform::bit_cast<halves>(__builtin_convertvector(x, half_numbers)));
#elif defined(__AVX512F__) && defined(__AVX512BW__)
  return platform::floats_of((halves)__builtin_ia32_vcvtps2ph512_mask(x, 0, halves{}, (unsigned short)-1));
#else
  return platform::floats_of((halves)__builtin_ia32_vcvtps2ph256(x, 0));
#endif
}

/// Both as one vector, which need not go through memory.
template <unsigned Bytes = vector_bytes>
inline vector<short> joined(halves low, halves high) {
#if __has_builtin(__builtin_shufflevector)
  using words = vector<long long, Bytes / 2>;
  auto const a = (words)low, b = (words)high;
  if constexpr (Bytes == 64)
    return (vector<short>)__builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
  else
    return (vector<short>)__builtin_shufflevector(a, b, 0, 1, 2, 3);
#else
  halves const parts[] = {low, high};
  return platform::load_vector<vector<short>>(parts);
#endif
}

/// Twice as many, written at once, as parts are not forwarded to a load of all.
inline void halves_of_two(void* to, float const* from) {
  using V = vector<float>;
  halves const low = platform::halves_of(platform::load_vector<V>(from));
  halves const high = platform::halves_of(platform::load_vector<V>(from + halves_at_once));
  platform::store_vector(static_cast<char*>(to), platform::joined(low, high));
}

#else

inline constexpr unsigned halves_at_once = 0;
template <bool KeepsPayloads = true>
void floats_of_halves(float* to, void const* from);
template <bool KeepsPayloads = true>
void floats_of_two(float* to, void const* from);
void halves_of_floats(void* to, float const* from);
void halves_of_two(void* to, float const* from);
vector<float> rounded_to_half(vector<float> x);

#endif

#if defined(__AVX512BF16__) && defined(__AVX512DQ__) && defined(__AVX512BW__)

/// How many are converted at a time, or 0 where there is no such instruction.
inline constexpr unsigned bfloat16s_at_once = vector_bytes / 2;

inline bool has_nan_or_subnormal(vector<float> x) {
  constexpr int classes = 0x01 | 0x20 | 0x80;
  return __builtin_ia32_fpclassps512_mask(x, classes, (unsigned short)-1) != 0;
}

/// What the instruction, which takes subnormal numbers for zeros and keeps payloads, gives for no others.
[[gnu::noinline]] inline halves rounded_to_bfloat16(vector<float> x) {
  auto const bits = (vector<unsigned>)x;
  auto const rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
  return __builtin_convertvector(x == x ? rounded : vector<unsigned>{} + 0x7fffu, halves);
}

/// Rounded to nearest, ties to even; NaN loses its sign and payload. A whole vector is written at once, as
/// parts are not forwarded to a load of all.
inline void bfloat16s_of_floats(void* to, float const* from) {
  auto const low = platform::load_vector<vector<float>>(from);
  auto const high = platform::load_vector<vector<float>>(from + bfloat16s_at_once / 2);
  vector<short> bits;
  asm("vcvtne2ps2bf16 %1, %2, %0" : "=v"(bits) : "v"(low), "v"(high)); // functions differ between compilers
  if (__builtin_expect(platform::has_nan_or_subnormal(low) || platform::has_nan_or_subnormal(high), false))
    bits = platform::joined(platform::rounded_to_bfloat16(low), platform::rounded_to_bfloat16(high));
  platform::store_vector(static_cast<char*>(to), bits);
}

#else

inline constexpr unsigned bfloat16s_at_once = 0;
void bfloat16s_of_floats(void* to, float const* from);

#endif

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform
