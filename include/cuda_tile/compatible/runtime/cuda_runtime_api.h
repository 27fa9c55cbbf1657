// <cuda_runtime_api.h>: the run time's functions, in C and in C++.
#pragma once
#define __CUDA_RUNTIME_API_H__

#include "cuda_tile/runtime/api.h"
