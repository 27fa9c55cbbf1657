// <vector_functions.h>: make_int2 and its like.
#pragma once

#include "cuda_tile/vector_types.h"
