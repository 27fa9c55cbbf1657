// What fused code (pycuda_tile/tileir/loops) uses beyond the API and beyond cuda_tile/tileir.
#pragma once

#include "cuda_tile/loops/conversions.h"
#include "cuda_tile/loops/division.h"
#include "cuda_tile/loops/extrema.h"
#include "cuda_tile/loops/gathers.h"
#include "cuda_tile/loops/masks.h"
#include "cuda_tile/loops/products.h"
#include "cuda_tile/loops/ranges.h"
#include "cuda_tile/loops/rounding.h"
#include "cuda_tile/loops/scans.h"
#include "cuda_tile/loops/scattered_sums.h"
#include "cuda_tile/loops/shared_sums.h"
#include "cuda_tile/loops/strips.h"
