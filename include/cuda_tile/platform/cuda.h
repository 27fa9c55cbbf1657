// Platform of the `simt` target: the threads of a CUDA block share a tile block.
#pragma once

#include "cuda_tile/config.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::platform {

inline constexpr unsigned block_threads = CUDA_TILE_BLOCK_THREADS;
/// The most memory that an exchange between threads takes at a time.
inline constexpr size_t scratch_bytes = 32 * 1024;
/// The most that any operation may take. Dynamic shared memory, CUDA_TILE_DYNAMIC_SCRATCH, is for launchers
/// that provide what a kernel asks for: above 48 KiB, CUDA requires that a kernel opts in.
#if CUDA_TILE_DYNAMIC_SCRATCH && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
inline constexpr size_t scratch_limit = 96 * 1024;
#elif CUDA_TILE_DYNAMIC_SCRATCH
inline constexpr size_t scratch_limit = 64 * 1024;
#else
inline constexpr size_t scratch_limit = scratch_bytes;
#endif

__device__ __forceinline__ uint3 block_index() { return uint3{blockIdx.x, blockIdx.y, blockIdx.z}; }
__device__ __forceinline__ dim3 grid_blocks() { return dim3{gridDim.x, gridDim.y, gridDim.z}; }

__device__ __forceinline__ unsigned thread() { return threadIdx.x; }
__device__ __forceinline__ void barrier() { __syncthreads(); }

#if !CUDA_TILE_DYNAMIC_SCRATCH
/// Not a template, since one array serves all sizes.
__device__ __forceinline__ void* static_scratch() {
  __shared__ __align__(1024) unsigned char memory[scratch_bytes];
  return memory;
}
#endif

template <typename To, typename From>
__device__ __forceinline__ To as_float(From x) {
  return static_cast<To>(x);
}

/// Whether small floats are converted by the operators of their types, which compile to instructions, rather
/// than by manipulating bits.
inline constexpr bool small_floats_convert = true;

__device__ __forceinline__ float to_float(double x) { return static_cast<float>(x); }

/// Tells the compiler that a condition holds.
__device__ __forceinline__ void assume(bool condition) { __builtin_assume(condition); }

/// Bytes of memory that the block's threads share, aligned to 1024; every call returns the same memory.
template <size_t Bytes>
__device__ __forceinline__ void* scratch() {
  static_assert(Bytes <= scratch_limit);
#if CUDA_TILE_WARP_GROUPS
  finish_groups();
#endif
#if CUDA_TILE_DYNAMIC_SCRATCH
  extern __shared__ __align__(1024) unsigned char memory[];
  asm volatile("// cuda_tile scratch %0" : : "n"(Bytes)); // the launcher reads it; a kernel's maximum counts
  return memory;
#else
  return static_scratch();
#endif
}

template <unsigned Bytes>
struct words;
template <>
struct words<2> {
  using type = unsigned short;
};
template <>
struct words<4> {
  using type = unsigned;
};
template <>
struct words<8> {
  using type = uint2;
};
template <>
struct words<16> {
  using type = uint4;
};

template <size_t Bytes>
__device__ __forceinline__ void copy(void* to, void const* from) {
  memcpy(to, from, Bytes);
}

/// Copies 2, 4, 8 or 16 bytes of any type to an address that is a multiple of their number.
template <unsigned Bytes>
__device__ __forceinline__ void store_aligned(void* to, void const* from) {
  typename words<Bytes>::type value;
  memcpy(&value, from, Bytes);
  *static_cast<typename words<Bytes>::type*>(to) = value;
}
/// The same from such an address.
template <unsigned Bytes>
__device__ __forceinline__ void load_aligned(void* to, void const* from) {
  typename words<Bytes>::type value = *static_cast<typename words<Bytes>::type const*>(from);
  memcpy(to, &value, Bytes);
}

/// The same to global memory, in one instruction: compilers may split an assignment of 8 or 16 bytes into
/// several.
template <unsigned Bytes>
__device__ __forceinline__ void store_global(void* to, void const* from) {
  [[maybe_unused]] size_t const at = __cvta_generic_to_global(to);
  unsigned words[(Bytes + 3) / 4];
  memcpy(words, from, Bytes);
  if constexpr (Bytes == 16)
    asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(at), "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3])
                 : "memory");
  else if constexpr (Bytes == 8)
    asm volatile("st.global.v2.b32 [%0], {%1, %2};" : : "l"(at), "r"(words[0]), "r"(words[1]) : "memory");
  else if constexpr (Bytes == 4)
    asm volatile("st.global.b32 [%0], %1;" : : "l"(at), "r"(words[0]) : "memory");
  else
    store_aligned<Bytes>(to, from);
}

/// p, hidden from the optimiser, so that offsets added to it stay additions.
template <typename T>
__device__ __forceinline__ T* opaque(T* p) {
  size_t at = reinterpret_cast<size_t>(p);
  asm("" : "+l"(at));
  return reinterpret_cast<T*>(at);
}

/// The value that another thread of the warp holds: the one whose number differs in the bits of `mask`. All
/// threads take part.
template <typename E>
__device__ __forceinline__ E shuffle_xor(E value, unsigned mask) {
  unsigned words[(sizeof(E) + 3) / 4] = {};
  memcpy(words, &value, sizeof(E));
#pragma unroll
  for (unsigned& word : words)
    word = __shfl_xor_sync(~0u, word, mask);
  memcpy(&value, words, sizeof(E));
  return value;
}

// [2.2] arithmetic that is rounded once, whatever the compiler's flags: these forms are never contracted

// clang-format off
__device__ __forceinline__ float add(float a, float b) { return __fadd_rn(a, b); }
__device__ __forceinline__ double add(double a, double b) { return __dadd_rn(a, b); }
__device__ __forceinline__ float sub(float a, float b) { return __fsub_rn(a, b); }
__device__ __forceinline__ double sub(double a, double b) { return __dsub_rn(a, b); }
__device__ __forceinline__ float mul(float a, float b) { return __fmul_rn(a, b); }
__device__ __forceinline__ double mul(double a, double b) { return __dmul_rn(a, b); }
__device__ __forceinline__ float div(float a, float b) { return __fdiv_rn(a, b); }
__device__ __forceinline__ double div(double a, double b) { return __ddiv_rn(a, b); }
__device__ __forceinline__ float fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ __forceinline__ double fma(double a, double b, double c) { return __fma_rn(a, b, c); }
__device__ __forceinline__ float multiply_add(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ __forceinline__ double multiply_add(double a, double b, double c) { return __fma_rn(a, b, c); }
__device__ __forceinline__ float fmod(float a, float b) { return fmodf(a, b); }
__device__ __forceinline__ double fmod(double a, double b) { return ::fmod(a, b); }
// clang-format on

template <typename To, typename From>
__device__ __forceinline__ To bit_cast(From const& from) {
  To to; // NVRTC 12.0 has no __builtin_bit_cast
  memcpy(&to, &from, sizeof(To));
  return to;
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform

#include "cuda_tile/platform/cuda_atomics.h"
#include "cuda_tile/platform/cuda_partial.h"
#include "cuda_tile/platform/cuda_rounding.h"
#include "cuda_tile/platform/math.h"
