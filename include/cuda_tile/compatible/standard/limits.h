// <limits.h> for NVRTC.
#pragma once

#include <climits>
