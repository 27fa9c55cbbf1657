// The host's math functions: accurate to about an ulp, exact in C's special cases, and vector code in a loop.
#pragma once

#include "cuda_tile/platform/host_math_pow.h"
#include "cuda_tile/platform/host_math_trig.h"
