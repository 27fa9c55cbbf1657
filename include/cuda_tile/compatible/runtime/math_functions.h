// <math_functions.h>: the functions of numbers that kernels call.
#pragma once

#include <cuda_runtime.h>
