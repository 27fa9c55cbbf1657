// CUDA's keywords while a whole program is preprocessed: words that pycuda_tile/programs/rewriting finds
// again in the text, for it to rewrite or remove. There is no include guard, as in predefined.h.
#undef __host__
#undef __device__
#undef __global__
#undef __shared__
#undef __constant__
#undef __managed__
#undef __tile__
#undef __tile_global__
#define __host__ __cuda_tile_host__
#define __device__ __cuda_tile_device__
#define __global__ __cuda_tile_global__
#define __shared__ __cuda_tile_shared__
#define __constant__ __cuda_tile_constant__
#define __managed__ __cuda_tile_managed__
#define __tile__ __cuda_tile_tile__
#define __tile_global__ __cuda_tile_tile_global__
#if !defined(__grid_constant__)
#define __grid_constant__
#define __launch_bounds__(...) __cuda_tile_launch_bounds__(__VA_ARGS__)
#define __cluster_dims__(...) __cuda_tile_cluster_dims__(__VA_ARGS__)
#define __block_size__(...)
#define __maxnreg__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __forceinline__ inline __attribute__((always_inline))
#define __inline_hint__
#define __nv_pure__
#endif
#if defined(__has_builtin) && !defined(__builtin_assume)
#if !__has_builtin(__builtin_assume) // which nvcc has
#define __builtin_assume(...) ((__VA_ARGS__) ? (void)0 : __builtin_unreachable())
#endif
#endif
#undef __noinline__
#define __noinline__                                                                                         \
  __cuda_tile_noinline__ // also where standard libraries write __attribute__((__noinline__))
