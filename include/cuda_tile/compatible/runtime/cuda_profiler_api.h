// <cuda_profiler_api.h>: the profiler, which there is none of.
#pragma once

#include "cuda_tile/runtime/api.h"
