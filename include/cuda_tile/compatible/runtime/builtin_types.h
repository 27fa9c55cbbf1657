// <builtin_types.h>: the types of the run time's interface.
#pragma once

#include "cuda_tile/runtime/types.h"
