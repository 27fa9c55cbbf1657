// <device_launch_parameters.h>: threadIdx, blockIdx, blockDim, gridDim and warpSize.
#pragma once

#ifdef __cplusplus
#include "cuda_tile/runtime/device/thread.h"
#endif
