// Matrix instructions of CUDA devices, for 16 bit floating point elements. Fragments are those of PTX
// 9.7.14.5 (mma.m16n8k16): of lane 4 g + q, a[i] holds row g + 8 (i % 2), columns 2 q + 8 (i / 2) and the
// next; b[i] rows 2 q + 8 i and the next, column g; d[i] row g + 8 (i / 2), column 2 q + i % 2.
#pragma once

#include "cuda_tile/core/scalars.h"

namespace cuda::tiles::platform {

/// Whether the device multiplies matrices of E by itself.
template <typename E>
inline constexpr bool has_matrix_unit = false;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 750
template <>
inline constexpr bool has_matrix_unit<__half> = true;
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
template <>
inline constexpr bool has_matrix_unit<__nv_bfloat16> = true;
#endif

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
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(to[0]), "=r"(to[1])
                 : "r"(from)
                 : "memory");
}

/// d += a b, of 16 x 16 and 16 x 8 elements E.
template <typename E>
__device__ __forceinline__ void multiply_matrices(float (&d)[4], unsigned const (&a)[4], unsigned const* b) {
#if __CUDA_ARCH__ >= 800
  if constexpr (detail::is_same_v<E, __half>)
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  else
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
#pragma unroll
  for (unsigned i = 0; i < 2; ++i) // its two halves are fragments of m16n8k8
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[2 * i]), "r"(a[2 * i + 1]), "r"(b[i]));
#endif
}

#else

template <unsigned Count, bool Transposed, typename Address>
__device__ void load_matrices(unsigned* to, Address address);
template <typename E>
__device__ void multiply_matrices(float (&d)[4], unsigned const (&a)[4], unsigned const* b);

#endif

} // namespace cuda::tiles::platform
