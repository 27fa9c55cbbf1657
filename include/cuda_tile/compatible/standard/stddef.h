// <stddef.h> for NVRTC.
#pragma once

#include <cstddef>
