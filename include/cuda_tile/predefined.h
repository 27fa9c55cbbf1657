// Names that NVIDIA's compilers predefine: the keywords, dim3, int2 and the other vector types, and printf.
// build() includes this file before every source. It has no include guard because NVIDIA's headers define the
// keywords too, and our definitions must win.

#if !defined(CUDA_TILE_ON_CUDA)

// CUDA_TILE_ON_CUDA: whether NVRTC or nvcc compiles this, so that a block consists of GPU threads. Otherwise
// a host compiler does; of a whole program (CUDA_TILE_PROGRAM) it sees what it would see from nvcc.
#if (defined(__CUDACC__) && !defined(CUDA_TILE_PROGRAM)) || defined(__CUDACC_RTC__)
#define CUDA_TILE_ON_CUDA 1
#else
#define CUDA_TILE_ON_CUDA 0
#endif

#if !CUDA_TILE_ON_CUDA
#if __has_include(<vector_types.h>)
#include <vector_types.h> // NVIDIA's, which its other headers would otherwise redefine
#else
#include "cuda_tile/vector_types.h"
#endif
#if __has_include(<vector_functions.h>)
#include <vector_functions.h>
#endif
#endif

#if !defined(__CUDACC_RTC__)
extern "C" int printf(char const*, ...);
#endif

#endif

// Recent versions of NVRTC and of NVIDIA's headers define the tile keywords outside of tile mode, too.
#undef __tile__
#undef __tile_global__

// Where tile functions are macros, compilers warn about every hint, either because they do not know it or
// because it is only valid on tile functions.
#if CUDA_TILE_ON_CUDA
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ < 1302
#pragma nv_diag_suppress 2803
#else
#pragma nv_diag_suppress 20363, 20366
#endif
#endif

#if defined(CUDA_TILE_PROGRAM) && defined(__CUDACC__) && !CUDA_TILE_RECORD
#include "cuda_tile/program/keywords.h"
#elif CUDA_TILE_ON_CUDA
#define __tile__ __device__
#define __tile_global__ __global__ __launch_bounds__(CUDA_TILE_BLOCK_THREADS)
#else
#if !defined(__host__)
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __forceinline__ inline __attribute__((always_inline))
#endif
#if !defined(__noinline__)
#define __noinline__ // nothing, as the standard library writes __attribute__((__noinline__))
#endif
#define __tile__
#define __tile_global__
#endif
