// <cooperative_groups/memcpy_async.h>: part of <cooperative_groups.h>.
#pragma once

#include "cuda_tile/runtime/cooperative_groups.h"
