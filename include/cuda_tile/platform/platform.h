// The few things in which targets differ: the platform header of the target at hand.
#pragma once

#include "cuda_tile/config.h"

#if CUDA_TILE_ON_CUDA
#include "cuda_tile/platform/cuda.h"
#elif CUDA_TILE_BLOCK_THREADS > 1
#include "cuda_tile/platform/emulated.h"
#else
#include "cuda_tile/platform/host.h"
#endif

#include "cuda_tile/platform/math.h"
