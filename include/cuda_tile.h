// CUDA Tile C++ [1.1]: the API of cuda::tiles. This file only includes its parts, in the manual's order.
#pragma once

// Template parameters have names of one capital letter, as in NVIDIA's headers; macros with such names break
// both.
#if defined(A) || defined(B) || defined(C) || defined(D) || defined(E) || defined(F) || defined(I) ||        \
    defined(K) || defined(L) || defined(M) || defined(N) || defined(O) || defined(P) || defined(R) ||        \
    defined(S) || defined(T) || defined(U) || defined(V) || defined(W)
#error                                                                                                       \
    "a macro whose name is one capital letter, such as N, is defined before cuda_tile.h is included: rename it, or define it after the #include"
#endif

#if defined(__CUDACC_TILE__)
// NVIDIA's tile compiler supplies its own implementation of the API.
#include_next <cuda_tile.h>
#else

#include "cuda_tile/config.h"

#include "cuda_tile/core/signature.h"

#include "cuda_tile/core/constants.h"         // [2.13.3] to [2.13.8] modes, paddings, orders, scopes
#include "cuda_tile/core/conversions.h"       // [1.7] which conversions of scalars exist
#include "cuda_tile/core/convert.h"           // [1.7.2] results of conversions of scalars
#include "cuda_tile/core/extents.h"           // [1.5] [2.1.3] [2.8] extents
#include "cuda_tile/core/integral_constant.h" // [2.13.1] constants and literals, [2.13.2] dimension maps
#include "cuda_tile/core/irange.h"            // [2.14] integer ranges
#include "cuda_tile/core/layouts.h"           // [1.8.1] [2.10] layout mappings
#include "cuda_tile/core/printf.h"            // printf in kernels
#include "cuda_tile/core/scalars.h"           // [1.4] scalars
#include "cuda_tile/core/strides.h"           // strides and offsets
#include "cuda_tile/core/tensor_span.h"       // [1.8] [2.11] tensor spans

#include "cuda_tile/tile/concepts.h"    // [2.1.2] type classification
#include "cuda_tile/tile/conversions.h" // [2.1.4] [2.1.5] properties and conversions of tile like types
#include "cuda_tile/tile/tile.h"        // [1.6] [2.9] tiles

#include "cuda_tile/ops/arithmetic.h" // [2.2] arithmetic
#include "cuda_tile/ops/assume.h"     // [2.15] assumptions
#include "cuda_tile/ops/atomics.h"    // [2.7.6] to [2.7.14] atomics
#include "cuda_tile/ops/bitwise.h"    // [2.2.11] to [2.2.19] bits and logic
#include "cuda_tile/ops/comparison.h" // [2.2.10] comparison
#include "cuda_tile/ops/convert.h"    // [2.3.19] [2.3.20] element types
#include "cuda_tile/ops/create.h"     // [2.3.1] to [2.3.4] full, iota, ones, zeros
#include "cuda_tile/ops/manipulate.h" // [2.3.7] to [2.3.18] shapes
#include "cuda_tile/ops/math.h"       // [2.4] math
#include "cuda_tile/ops/memory.h"     // [2.7.1] to [2.7.5] loads and stores
#include "cuda_tile/ops/mma/mma.h"    // [2.5] matrix multiplication
#include "cuda_tile/ops/mma/scaled.h" // products of scaled matrices
#include "cuda_tile/ops/pointers.h"   // [2.2.25] to [2.2.31] pointers
#include "cuda_tile/ops/reductions.h" // [2.6] reductions
#include "cuda_tile/ops/repack.h"     // repack
#include "cuda_tile/ops/thread.h"     // [2.1.1] thread functions

#include "cuda_tile/view/gather_scatter_view.h" // gather and scatter views
#include "cuda_tile/view/partition_view.h"      // [2.12] partition views
#include "cuda_tile/view/strided_view.h"        // strided views

#include "cuda_tile/compatibility.h" // names that are not in the manual

#if defined(CUDA_TILE_PROGRAM) && defined(__CUDA_ARCH__) && !CUDA_TILE_RECORD
#include "cuda_tile/program/tile_kernel.h" // how the kernels of a whole program run
#endif

#endif
