// <cooperative_groups/reduce.h>: part of <cooperative_groups.h>.
#pragma once

#include "cuda_tile/runtime/cooperative_groups.h"
