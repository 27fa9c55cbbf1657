// <cuda_device_runtime_api.h>: the run time that kernels call.
#pragma once

#include <cuda_runtime.h>
