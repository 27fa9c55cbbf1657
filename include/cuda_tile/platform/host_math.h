// The host's math functions: accurate to about an ulp, exact in C's special cases, and vectorised in loops.
#pragma once

#include "cuda_tile/platform/host_math_pow.h"
#include "cuda_tile/platform/host_math_trig.h"
