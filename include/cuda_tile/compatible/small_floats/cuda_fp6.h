// Nothing: CUDA Tile C++ has no numbers of 6 bits, and files include this beside cuda_fp8.h.
#pragma once

#include "cuda_tile/config.h"
