// <cuComplex.h> where NVIDIA's is not installed: its types. Its functions are not for tile code.
#pragma once

#include "cuda_tile/predefined.h"

using cuFloatComplex = float2;
using cuDoubleComplex = double2;
using cuComplex = cuFloatComplex;
