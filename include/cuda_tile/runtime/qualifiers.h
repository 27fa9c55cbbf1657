// The keywords of CUDA C++ for programs that run on a CPU, and the macros that CUDA's headers give
// declarations.
//
// The threads of a block are fibers of one thread of the operating system, which runs one block at a time: so
// a variable of that thread is one that the block's threads share.
#pragma once

#if !defined(__host__) // a program's own are read, and defined, by what compiles it
#define __host__
#define __device__
#define __global__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __block_size__(...)
#define __maxnreg__(...)
#define __nv_pure__
#ifdef __cplusplus
#define __shared__ static thread_local
#else
#define __shared__ static _Thread_local
#endif
#endif
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __forceinline__ inline __attribute__((always_inline))
#define __device_builtin__
#define __cudart_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#if !defined(__noinline__) && !defined(__clang__) // whose standard library asks for the attribute
#define __noinline__ // nothing, as the standard library writes __attribute__((__noinline__))
#endif

#define CUDARTAPI
#define CUDAAPI
#define CUDA_CB
#define CUDART_CB
#define __CUDART_API_VERSION CUDART_VERSION

#ifdef __cplusplus
#define CUDA_TILE_DEFAULT(value) = value
#else
#define CUDA_TILE_DEFAULT(value)
#endif
