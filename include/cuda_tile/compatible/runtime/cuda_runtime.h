// <cuda_runtime.h>: what nvcc includes before every source: the run time, and what kernels call.
#pragma once
#define __CUDA_RUNTIME_H__

#include "cuda_tile/runtime/api.h"

#ifdef __cplusplus
#include "cuda_tile/runtime/device/device.h"
#include "cuda_tile/runtime/overloads.h"
#endif
