// Matrix instructions of warp groups, where there are any: the device's, or their model on a host.
#pragma once

#include "cuda_tile/platform/platform.h"

#if CUDA_TILE_WARP_GROUPS && CUDA_TILE_ON_CUDA
#include "cuda_tile/platform/cuda_wgmma.h"
#elif CUDA_TILE_WARP_GROUPS
#include "cuda_tile/platform/emulated_wgmma.h"
#endif
