// Selects the printer for a block's text: the host and GPUs differ in the memory available for it.
#pragma once

#include "cuda_tile/config.h"

#if CUDA_TILE_ON_CUDA
#include "cuda_tile/print/cuda_printer.h"
#else
#include "cuda_tile/print/host_printer.h"
#endif
