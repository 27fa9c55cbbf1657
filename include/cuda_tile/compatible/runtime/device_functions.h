// <device_functions.h>: what kernels call.
#pragma once

#include <cuda_runtime.h>
