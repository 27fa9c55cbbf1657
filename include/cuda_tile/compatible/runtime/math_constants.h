// <math_constants.h>: CUDART_PI_F and its like.
#pragma once

#include "cuda_tile/runtime/device/constants.h"
