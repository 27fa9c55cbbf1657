// <assert.h> for NVRTC, which has assert built in.
#pragma once
