// What kernels call, and host code may: everything that nvcc predefines for device code.
#pragma once

#include "cuda_tile/runtime/device/atomics.h"
#include "cuda_tile/runtime/device/math.h"
#include "cuda_tile/runtime/device/memory.h"
#include "cuda_tile/runtime/device/ordered_atomics.h"
#include "cuda_tile/runtime/device/synchronize.h"
#include "cuda_tile/runtime/device/thread.h"
#include "cuda_tile/runtime/device/warp.h"
