// What takes the text that a block prints: of a host or of a GPU, which have different memory for it.
#pragma once

#include "cuda_tile/config.h"

#if CUDA_TILE_ON_CUDA
#include "cuda_tile/print/cuda_printer.h"
#else
#include "cuda_tile/print/host_printer.h"
#endif
