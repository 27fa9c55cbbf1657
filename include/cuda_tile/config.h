// What knows compilers and targets: keywords, and how many threads share a block.
#pragma once

#include "cuda_tile/predefined.h"

// CUDA_TILE_API_VERSION: the version of the API that the header has, 100 * major + minor.
#if !defined(CUDA_TILE_API_VERSION)
#define CUDA_TILE_API_VERSION 1305
#endif
#if CUDA_TILE_API_VERSION != 1303 && CUDA_TILE_API_VERSION != 1304 && CUDA_TILE_API_VERSION != 1305
#error "CUDA_TILE_API_VERSION must be 1303, 1304 or 1305, for the API of CUDA Tile C++ 13.3, 13.4 or 13.5"
#endif

// CUDA_TILE_ALIAS_DEDUCTION: whether the compiler applies deduction guides to alias templates. g++ 12 fails
// at ours.
#if defined(__GNUC__) && !defined(__clang__) && !CUDA_TILE_ON_CUDA
#define CUDA_TILE_ALIAS_DEDUCTION 0
#else
#define CUDA_TILE_ALIAS_DEDUCTION 1
#endif

// CUDA_TILE_BLOCK_THREADS: threads that share one tile block, a power of two.
// 1 is the `cpu` target; more on a host compiler is the `emulated` target.
#if !defined(CUDA_TILE_BLOCK_THREADS)
#if CUDA_TILE_ON_CUDA
#define CUDA_TILE_BLOCK_THREADS 128
#else
#define CUDA_TILE_BLOCK_THREADS 1
#endif
#endif
static_assert(CUDA_TILE_BLOCK_THREADS >= 1 && CUDA_TILE_BLOCK_THREADS <= 1024 &&
                  (CUDA_TILE_BLOCK_THREADS & (CUDA_TILE_BLOCK_THREADS - 1)) == 0,
              "CUDA_TILE_BLOCK_THREADS must be a power of two between 1 and 1024");

// CUDA_TILE_RECORD: whether operations are calls that pycuda_tile makes Tile IR of, and nothing runs.
#if !defined(CUDA_TILE_RECORD)
#define CUDA_TILE_RECORD 0
#endif

// What runs a kernel: the platform (platform/platform.h says what it owes), the back end, a folder that
// implements the primitives of tile/primitives.h, and what functions of elements are made of.
#if CUDA_TILE_RECORD
#define CUDA_TILE_PLATFORM "cuda_tile/platform/record.h"
#elif CUDA_TILE_ON_CUDA
#define CUDA_TILE_PLATFORM "cuda_tile/platform/cuda.h"
#elif CUDA_TILE_BLOCK_THREADS > 1
#define CUDA_TILE_PLATFORM "cuda_tile/platform/emulated.h"
#else
#define CUDA_TILE_PLATFORM "cuda_tile/platform/host.h"
#endif
#if CUDA_TILE_RECORD
#define CUDA_TILE_STORAGE "cuda_tile/record/storage.h"
#define CUDA_TILE_PRIMITIVES "cuda_tile/record/primitives.h"
#define CUDA_TILE_PRINTING "cuda_tile/record/print.h"
#elif CUDA_TILE_ON_CUDA || CUDA_TILE_BLOCK_THREADS > 1
#define CUDA_TILE_STORAGE "cuda_tile/threads/storage.h"
#define CUDA_TILE_PRIMITIVES "cuda_tile/threads/primitives.h"
#define CUDA_TILE_PRINTING "cuda_tile/threads/print.h"
#else
#define CUDA_TILE_STORAGE "cuda_tile/one_thread/storage.h"
#define CUDA_TILE_PRIMITIVES "cuda_tile/one_thread/primitives.h"
#define CUDA_TILE_PRINTING "cuda_tile/one_thread/print.h"
#endif
#define CUDA_TILE_ELEMENT_FUNCTIONS "cuda_tile/core/element_functions.h"

// CUDA_TILE_CHECKED: whether undefined behaviour is looked for and reported.
#if !defined(CUDA_TILE_CHECKED)
#define CUDA_TILE_CHECKED 0
#endif
// CUDA_TILE_CHECKED_STRICT: of a checked build, whether pointers that leave their array are reported before
// they are accessed.
#if !defined(CUDA_TILE_CHECKED_STRICT)
#define CUDA_TILE_CHECKED_STRICT 0
#endif

// CUDA_TILE_CHECKED_FULLY: whether that includes elements without a value, pointer arithmetic, reductions and
// races: where blocks of one thread run on a host. Elsewhere each thread checks its own elements alone.
#define CUDA_TILE_CHECKED_FULLY (CUDA_TILE_CHECKED && !CUDA_TILE_ON_CUDA && CUDA_TILE_BLOCK_THREADS == 1)

// CUDA_TILE_COMPOSED: whether what Tile IR has operations for since 13.3 is made of other primitives:
// accesses by gathered places, updates of views, repack, powi. In record mode it is where fused loops are
// wanted, which have no rules for these operations.
#if !defined(CUDA_TILE_COMPOSED)
#define CUDA_TILE_COMPOSED !CUDA_TILE_RECORD
#endif

// CUDA_TILE_FORMS: 0 where a source transposes nothing, which spares the compiler what it would find unused.
#if !defined(CUDA_TILE_FORMS)
#define CUDA_TILE_FORMS 1
#endif

// CUDA_TILE_DYNAMIC_SCRATCH: whether launches give kernels the shared memory that they take.
#if !defined(CUDA_TILE_DYNAMIC_SCRATCH)
#define CUDA_TILE_DYNAMIC_SCRATCH 0
#endif

// CUDA_TILE_ABI: the inline namespace that all of the header is in, named by what its classes and functions
// depend on. So objects that were compiled with other settings do not link with these, or have types of their
// own. It has a number for each setting (one more has its place in these three macros), as sources and
// options give it: nvcc's passes must agree, so nothing that an architecture decides.
#if !defined(CUDA_TILE_WARP_GROUPS)
#define CUDA_TILE_ABI_GROUPS CUDA_TILE_ON_CUDA
#elif CUDA_TILE_WARP_GROUPS
#define CUDA_TILE_ABI_GROUPS 2
#else
#define CUDA_TILE_ABI_GROUPS 0
#endif
#if CUDA_TILE_RECORD // linked with nothing
#define CUDA_TILE_ABI abi_record
#else
#define CUDA_TILE_ABI                                                                                        \
  CUDA_TILE_ABI_OF(CUDA_TILE_BLOCK_THREADS, CUDA_TILE_CHECKED, CUDA_TILE_CHECKED_STRICT, CUDA_TILE_FORMS,    \
                   CUDA_TILE_DYNAMIC_SCRATCH, CUDA_TILE_ABI_GROUPS, CUDA_TILE_API_VERSION)
#endif
#define CUDA_TILE_ABI_OF(threads, checked, strict, forms, scratch, groups, version)                          \
  CUDA_TILE_ABI_NAME(threads, checked, strict, forms, scratch, groups, version)
#define CUDA_TILE_ABI_NAME(threads, checked, strict, forms, scratch, groups, version)                        \
  abi_##threads##_##checked##_##strict##_##forms##_##scratch##_##groups##_##version

// CUDA_TILE_WARP_GROUPS: whether groups of four warps multiply matrices: on sm_90a, or where that is
// emulated.
#if CUDA_TILE_CHECKED || CUDA_TILE_BLOCK_THREADS % 128 != 0
#undef CUDA_TILE_WARP_GROUPS
#define CUDA_TILE_WARP_GROUPS 0
#elif defined(__CUDA_ARCH_FEAT_SM90_ALL) && !defined(CUDA_TILE_WARP_GROUPS)
#define CUDA_TILE_WARP_GROUPS 1
#elif !defined(CUDA_TILE_WARP_GROUPS)
#define CUDA_TILE_WARP_GROUPS 0
#endif

#if CUDA_TILE_ON_CUDA
#define CUDA_TILE_API __device__ __forceinline__
#define CUDA_TILE_ALWAYS_INLINE CUDA_TILE_API
#define CUDA_TILE_CONSTEXPR __host__ __device__ __forceinline__ constexpr
#define CUDA_TILE_BITS                                                                                       \
  CUDA_TILE_API // of functions that look at the bits of a float, which NVRTC 12 cannot in constants
#define CUDA_TILE_UNROLL _Pragma("unroll")
#define CUDA_TILE_NO_UNROLL _Pragma("unroll 1")
#else
#define CUDA_TILE_ALWAYS_INLINE inline __attribute__((always_inline)) // of functions in loops to vectorise
#if CUDA_TILE_CHECKED // a report names the caller's line, which the debug information of inlined code has
#define CUDA_TILE_API CUDA_TILE_ALWAYS_INLINE
#else
#define CUDA_TILE_API inline
#endif
#define CUDA_TILE_CONSTEXPR constexpr
#define CUDA_TILE_BITS constexpr
#if CUDA_TILE_RECORD // loops over dimensions: clang keeps all others
#define CUDA_TILE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define CUDA_TILE_UNROLL
#endif
#define CUDA_TILE_NO_UNROLL
#endif

// The manual's examples use these names and include no standard header; <cstdint> declares the same ones.
using size_t = decltype(sizeof(0));
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
#if (defined(_LP64) || defined(__LP64__)) && !defined(__CUDACC_RTC__) // NVRTC has libcu++'s
using int64_t = long;
using uint64_t = unsigned long;
#else
using int64_t = long long;
using uint64_t = unsigned long long;
#endif

namespace std {
using ::size_t;
}

// nvcc includes <cmath> before every source, and kernels rely on its macros.
#if defined(__CUDACC_RTC__)
#include "cuda_tile/compatible/standard/cmath"
#elif !CUDA_TILE_ON_CUDA && !defined(INFINITY)
// clang-format off
#define INFINITY (__builtin_inff ()) // letter by letter as the C library has them, so that it may come later
#define NAN (__builtin_nanf (""))
// clang-format on
#endif

namespace cuda::tiles::inline CUDA_TILE_ABI {

using ::size_t;
using ptrdiff_t = decltype(static_cast<char*>(nullptr) - static_cast<char*>(nullptr));
using nullptr_t = decltype(nullptr);

#if CUDA_TILE_WARP_GROUPS
namespace platform {
CUDA_TILE_API void finish_groups(); // platform/cuda_wgmma.h: waits for their products
}
#endif

} // namespace cuda::tiles::inline CUDA_TILE_ABI
