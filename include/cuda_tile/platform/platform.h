// The few things in which targets differ: the platform header of the target at hand.
#pragma once

#include "cuda_tile/config.h"

#include CUDA_TILE_PLATFORM
#include "cuda_tile/platform/math.h"
