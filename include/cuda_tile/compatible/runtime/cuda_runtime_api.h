// <cuda_runtime_api.h>: the run time's functions, in C and in C++.
#pragma once

#include "cuda_tile/runtime/api.h"
