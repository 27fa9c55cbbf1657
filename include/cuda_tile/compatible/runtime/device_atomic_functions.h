// <device_atomic_functions.h>: atomic updates in kernels.
#pragma once

#include <cuda_runtime.h>
