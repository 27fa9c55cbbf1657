// How checked builds report and check accesses: the functions of the current platform.
#pragma once

#include "cuda_tile/config.h"

#if CUDA_TILE_ON_CUDA
#include "cuda_tile/platform/cuda_checks.h"
#else
#include "cuda_tile/platform/host_checks.h"
#endif
