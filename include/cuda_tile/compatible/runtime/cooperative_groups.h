// <cooperative_groups.h>: groups of threads that synchronise.
#pragma once

#include "cuda_tile/runtime/cooperative_groups.h"
