// <stdint.h> for NVRTC.
#pragma once

#include <cstdint>
