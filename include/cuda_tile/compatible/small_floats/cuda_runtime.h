// Nothing: kernels include cuda_runtime.h, but need none of it beyond what cuda_tile.h has.
#pragma once

#include "cuda_tile/config.h"
