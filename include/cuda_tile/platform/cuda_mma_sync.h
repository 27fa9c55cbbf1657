// Matrix instructions of a warp. Fragments are those of PTX 9.7.14.5, in words of a register each
// (threads/mma/mma_sync.h): of lane 4 g + q, a[i] is word q + 4 (i / 2) of row g + 8 (i % 2); b[i] is word q
// + 4 i of column g; di is row g + 8 (i / 2), column 2 q + i % 2.
#pragma once

#include "cuda_tile/core/scalars.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::platform {

/// The compute capability, times 10, whose instructions are available: the device's, except that PTX has the
/// fp8 instructions of 8.9 only since CUDA 12.4.
#if !defined(__CUDA_ARCH__)
inline constexpr unsigned matrix_arch = 0;
#elif __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ < 1204 && __CUDA_ARCH__ > 880
inline constexpr unsigned matrix_arch = 88;
#else
inline constexpr unsigned matrix_arch = __CUDA_ARCH__ / 10;
#endif

/// Selects from the bytes of `low` (0 to 3) and `high` (4 to 7): digit i of `which` says which one becomes
/// byte i.
__device__ __forceinline__ unsigned select_bytes(unsigned low, unsigned high, unsigned which) {
  return __byte_perm(low, high, which);
}

/// The products of two halves in each word.
__device__ __forceinline__ unsigned multiply_halves(unsigned a, unsigned b) {
  unsigned products;
  asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(products) : "r"(a), "r"(b));
  return products;
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 750

/// Loads Count (2 or 4) matrices of 8 x 8 elements of 16 bits from shared memory, transposed or not: row r of
/// matrix i, 16 bytes, lies at address(8 i + r). Lane 4 g + q gets columns 2 q and 2 q + 1 of row g. PTX
/// 9.7.14.5.15 (ldmatrix).
template <unsigned Count, bool Transposed, typename Address>
__device__ __forceinline__ void load_matrices(unsigned* to, Address address) {
  unsigned const from = static_cast<unsigned>(__cvta_generic_to_shared(address(threadIdx.x % (8 * Count))));
  if constexpr (Count == 4 && Transposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from)
                 : "memory");
  else if constexpr (Count == 4)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from)
                 : "memory");
  else if constexpr (!Transposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(to[0]), "=r"(to[1])
                 : "r"(from)
                 : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(to[0]), "=r"(to[1])
                 : "r"(from)
                 : "memory");
}

/// Transposes a warp's matrix of 8 x 8 elements of 16 bits: lane 4 g + q has columns 2 q and 2 q + 1 of row
/// g, and gets rows 2 q and 2 q + 1 of column g. PTX 9.7.14.5.17 (movmatrix).
__device__ __forceinline__ unsigned transpose_matrix(unsigned pair) {
  unsigned transposed;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(transposed) : "r"(pair));
  return transposed;
}

// Instructions of 16 rows and all 8 words of the inner dimension; of 16 rows and half of these words, part i;
// and of 8 rows, part h of the 16, and half of the words.
#define CUDA_TILE_MMA_WHOLE(instruction, sum, word)                                                          \
  asm("mma.sync.aligned." instruction " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"     \
      : "+" sum(d0), "+" sum(d1), "+" sum(d2), "+" sum(d3)                                                   \
      : word(a[0]), word(a[1]), word(a[2]), word(a[3]), word(b[0]), word(b[1]))
#define CUDA_TILE_MMA_HALF(instruction, i)                                                                   \
  asm("mma.sync.aligned." instruction " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"                 \
      : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)                                                               \
      : "r"(a[2 * i]), "r"(a[2 * i + 1]), "r"(b[i]))
#define CUDA_TILE_MMA_QUARTER(instruction, sum, word, d0, d1, h, i)                                          \
  asm("mma.sync.aligned." instruction " {%0, %1}, {%2}, {%3}, {%0, %1};"                                     \
      : "+" sum(d0), "+" sum(d1)                                                                             \
      : word(a[h + 2 * i]), word(b[i]))
#define CUDA_TILE_MMA_QUARTERS(instruction, sum, word)                                                       \
  CUDA_TILE_MMA_QUARTER(instruction, sum, word, d0, d1, 0, 0);                                               \
  CUDA_TILE_MMA_QUARTER(instruction, sum, word, d2, d3, 1, 0);                                               \
  CUDA_TILE_MMA_QUARTER(instruction, sum, word, d0, d1, 0, 1);                                               \
  CUDA_TILE_MMA_QUARTER(instruction, sum, word, d2, d3, 1, 1)
#if __CUDA_ARCH__ >= 800
#define CUDA_TILE_MMA_INTEGERS(left, right)                                                                  \
  CUDA_TILE_MMA_WHOLE("m16n8k32.row.col.s32." left "." right ".s32", "r", "r")
#else
#define CUDA_TILE_MMA_INTEGERS(left, right)                                                                  \
  CUDA_TILE_MMA_QUARTERS("m8n8k16.row.col.s32." left "." right ".s32", "r", "r")
#endif

template <typename E>
inline constexpr bool is_half = detail::is_same_v<E, __half>;
template <typename E>
inline constexpr bool is_bfloat16 = detail::is_same_v<E, __nv_bfloat16>;
template <typename E>
inline constexpr bool is_e4m3 = detail::is_same_v<E, __nv_fp8_e4m3>;

/// di += a b, of elements L and R, floating point.
template <typename L, typename R>
__device__ __forceinline__ void multiply_matrices(float& d0, float& d1, float& d2, float& d3,
                                                  unsigned const (&a)[4], unsigned const (&b)[2]) {
#if __CUDA_ARCH__ >= 800
  if constexpr (is_half<L>)
    CUDA_TILE_MMA_WHOLE("m16n8k16.row.col.f32.f16.f16.f32", "f", "r");
  else if constexpr (is_bfloat16<L>)
    CUDA_TILE_MMA_WHOLE("m16n8k16.row.col.f32.bf16.bf16.f32", "f", "r");
  else if constexpr (detail::is_same_v<L, __nv_tf32>)
    CUDA_TILE_MMA_WHOLE("m16n8k8.row.col.f32.tf32.tf32.f32", "f", "r");
  else if constexpr (is_e4m3<L>)
    CUDA_TILE_MMA_WHOLE("m16n8k32.row.col.f32.e4m3.e4m3.f32", "f", "r");
  else
    CUDA_TILE_MMA_WHOLE("m16n8k32.row.col.f32.e5m2.e5m2.f32", "f", "r");
#else
  CUDA_TILE_MMA_HALF("m16n8k8.row.col.f32.f16.f16.f32", 0);
  CUDA_TILE_MMA_HALF("m16n8k8.row.col.f32.f16.f16.f32", 1);
#endif
}

/// The same for 8 bit integers; sums wrap around.
template <typename L, typename R>
__device__ __forceinline__ void multiply_matrices(int& d0, int& d1, int& d2, int& d3, unsigned const (&a)[4],
                                                  unsigned const (&b)[2]) {
  if constexpr (detail::is_signed_v<L> && detail::is_signed_v<R>) {
    CUDA_TILE_MMA_INTEGERS("s8", "s8");
  } else if constexpr (detail::is_signed_v<L>) {
    CUDA_TILE_MMA_INTEGERS("s8", "u8");
  } else if constexpr (detail::is_signed_v<R>) {
    CUDA_TILE_MMA_INTEGERS("u8", "s8");
  } else {
    CUDA_TILE_MMA_INTEGERS("u8", "u8");
  }
}

/// The same for doubles; each product is added as by fused multiply-add.
template <typename L, typename R>
__device__ __forceinline__ void multiply_matrices(double& d0, double& d1, double& d2, double& d3,
                                                  double const (&a)[4], double const (&b)[2]) {
#if __CUDA_ARCH__ >= 900
  CUDA_TILE_MMA_WHOLE("m16n8k8.row.col.f64.f64.f64.f64", "d", "d");
#else
  CUDA_TILE_MMA_QUARTERS("m8n8k4.row.col.f64.f64.f64.f64", "d", "d");
#endif
}

#undef CUDA_TILE_MMA_INTEGERS
#undef CUDA_TILE_MMA_QUARTERS
#undef CUDA_TILE_MMA_QUARTER
#undef CUDA_TILE_MMA_HALF
#undef CUDA_TILE_MMA_WHOLE

#else

template <unsigned Count, bool Transposed, typename Address>
__device__ void load_matrices(unsigned* to, Address address);
template <typename L, typename R, typename Sum, typename Word>
__device__ void multiply_matrices(Sum& d0, Sum& d1, Sum& d2, Sum& d3, Word const (&a)[4], Word const (&b)[2]);

#endif

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform
