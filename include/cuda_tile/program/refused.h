// What CUDA programs may use and a CPU does not have: errors that say so, where a program names it.
#pragma once

#define CUDA_TILE_NO_TEXTURES                                                                                \
  __attribute__((                                                                                            \
      unavailable("textures and surfaces do not exist on the CPU: read and write memory instead, "           \
                  "or keep this out of builds for the CPU with #if !defined(CUDA_TILE_PROGRAM)")))

typedef unsigned long long cudaTextureObject_t CUDA_TILE_NO_TEXTURES;
typedef unsigned long long cudaSurfaceObject_t CUDA_TILE_NO_TEXTURES;
struct CUDA_TILE_NO_TEXTURES cudaTextureDesc;
struct CUDA_TILE_NO_TEXTURES cudaResourceDesc;
struct CUDA_TILE_NO_TEXTURES cudaSurfaceDesc;

#define CUDA_TILE_REFUSED(name)                                                                              \
  template <typename T, typename... Arguments>                                                               \
  CUDA_TILE_NO_TEXTURES T name(const Arguments&...);
CUDA_TILE_REFUSED(tex1D)
CUDA_TILE_REFUSED(tex1Dfetch)
CUDA_TILE_REFUSED(tex2D)
CUDA_TILE_REFUSED(tex2DLod)
CUDA_TILE_REFUSED(tex2DLayered)
CUDA_TILE_REFUSED(tex3D)
CUDA_TILE_REFUSED(texCubemap)
CUDA_TILE_REFUSED(surf1Dread)
CUDA_TILE_REFUSED(surf2Dread)
CUDA_TILE_REFUSED(surf3Dread)
CUDA_TILE_REFUSED(surf1Dwrite)
CUDA_TILE_REFUSED(surf2Dwrite)
CUDA_TILE_REFUSED(surf3Dwrite)
#undef CUDA_TILE_REFUSED

#define CUDA_TILE_REFUSED(name)                                                                              \
  template <typename... Arguments>                                                                           \
  CUDA_TILE_NO_TEXTURES int name(const Arguments&...);
CUDA_TILE_REFUSED(cudaMallocArray)
CUDA_TILE_REFUSED(cudaMalloc3DArray)
CUDA_TILE_REFUSED(cudaMallocMipmappedArray)
CUDA_TILE_REFUSED(cudaFreeArray)
CUDA_TILE_REFUSED(cudaFreeMipmappedArray)
CUDA_TILE_REFUSED(cudaArrayGetInfo)
CUDA_TILE_REFUSED(cudaMemcpyToArray)
CUDA_TILE_REFUSED(cudaMemcpy2DToArray)
CUDA_TILE_REFUSED(cudaMemcpy2DToArrayAsync)
CUDA_TILE_REFUSED(cudaMemcpy2DFromArray)
CUDA_TILE_REFUSED(cudaMemcpy2DFromArrayAsync)
CUDA_TILE_REFUSED(cudaMemcpy2DArrayToArray)
CUDA_TILE_REFUSED(cudaCreateTextureObject)
CUDA_TILE_REFUSED(cudaDestroyTextureObject)
CUDA_TILE_REFUSED(cudaCreateSurfaceObject)
CUDA_TILE_REFUSED(cudaDestroySurfaceObject)
#undef CUDA_TILE_REFUSED

#define CUDA_TILE_NOT_THERE(name)                                                                            \
  template <typename... Arguments>                                                                           \
  __attribute__((                                                                                            \
      unavailable("this function is not part of the run time for the CPU, as docs/runtime.md "               \
                  "says; keep it out of builds for the CPU with #if !defined(CUDA_TILE_PROGRAM)"))) int      \
  name(const Arguments&...);
#include "cuda_tile/program/not_there.inc"
#undef CUDA_TILE_NOT_THERE
