// Standard headers for NVRTC, which has none: what kernels use of them, for the targets simt and tile. Those
// of libcu++ take two seconds a build; `#include <cuda/std/...>` gets them where they are installed.
#pragma once

// Functions that tile code calls: NVIDIA's tile compiler wants them marked.
#if defined(__CUDACC_TILE__)
#define CUDA_TILE_STD __host__ __device__ __tile__ constexpr
#else
#define CUDA_TILE_STD __host__ __device__ constexpr
#endif
