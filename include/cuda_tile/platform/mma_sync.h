// Matrix instructions of warps: the device's, or their model on a host.
#pragma once

#include "cuda_tile/platform/platform.h"

#if CUDA_TILE_ON_CUDA
#include "cuda_tile/platform/cuda_mma_sync.h"
#else
#include "cuda_tile/platform/emulated_mma_sync.h"
#endif
