// <host_defines.h>: the keywords.
#pragma once

#include "cuda_tile/runtime/qualifiers.h"
