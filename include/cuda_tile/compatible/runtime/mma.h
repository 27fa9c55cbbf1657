// <mma.h>: which there is none of.
#pragma once

#error                                                                                                       \
    "the fragments of <mma.h> do not exist on the CPU: multiply matrices with cuda::tiles::mma in a tile kernel, or leave this file out where CUDA_TILE_PROGRAM is defined"
