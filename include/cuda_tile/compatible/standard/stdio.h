// <stdio.h> for NVRTC, which has printf built in.
#pragma once
