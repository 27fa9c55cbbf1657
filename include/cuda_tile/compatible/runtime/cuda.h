// <cuda.h>: the driver's interface.
#pragma once

#include "cuda_tile/runtime/driver.h"
