// <nvToolsExt.h>: where it was before NVTX 3.
#pragma once

#include <nvtx3/nvToolsExt.h>
