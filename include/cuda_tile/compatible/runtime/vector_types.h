// <vector_types.h>: CUDA's vector types and dim3.
#pragma once

#include "cuda_tile/vector_types.h"
