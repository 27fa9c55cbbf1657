// <stdlib.h> for NVRTC, which has malloc built in.
#pragma once

#if CUDA_TILE_RECORD
#include <cstdlib>
#endif
