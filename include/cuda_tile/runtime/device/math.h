// Functions of numbers that CUDA has built in.
#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>
