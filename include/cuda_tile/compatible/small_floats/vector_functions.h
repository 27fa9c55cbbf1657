// <vector_functions.h> where NVIDIA's is not installed: make_int2 and its like.
#pragma once

#include "cuda_tile/vector_types.h"
