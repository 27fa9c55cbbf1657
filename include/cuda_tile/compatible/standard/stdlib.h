// <stdlib.h> for NVRTC, which has malloc built in.
#pragma once
