// <vector_types.h> where NVIDIA's is not installed: CUDA's vector types.
#pragma once

#include "cuda_tile/vector_types.h"
