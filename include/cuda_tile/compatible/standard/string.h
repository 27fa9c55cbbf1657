// <string.h> for NVRTC, which has memcpy built in.
#pragma once
