// <string.h> for NVRTC, which has memcpy built in.
#pragma once

#if CUDA_TILE_RECORD
#include <cstring>
#endif
