// <device_launch_parameters.h>: nothing, as kernels need none of it beyond what cuda_tile.h has.
#pragma once

#include "cuda_tile/config.h"
