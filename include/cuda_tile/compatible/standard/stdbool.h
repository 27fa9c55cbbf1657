// <stdbool.h> for NVRTC: bool is a keyword of C++.
#pragma once
