// What code translated from Tile IR uses beyond the API of cuda_tile.h. Code with assertions also includes
// assert.h.
#pragma once

#include "cuda_tile/tileir/floats.h"
#include "cuda_tile/tileir/integers.h"
#include "cuda_tile/tileir/memory.h"
#include "cuda_tile/tileir/pack.h"
#include "cuda_tile/tileir/print.h"
#include "cuda_tile/tileir/tiles.h"
