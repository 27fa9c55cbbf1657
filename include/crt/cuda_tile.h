// The path of NVIDIA's own header, which some sources name: the same API.
#pragma once

#if defined(__CUDACC_TILE__)
#include_next <crt/cuda_tile.h>
#else
#include <cuda_tile.h> // not the file of that name beside this one, which is this one
#endif
