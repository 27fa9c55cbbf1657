// Notes in compiled code about what multiplies there, at no cost in instructions; pycuda_tile/products.py
// reads them.
#pragma once

#include "cuda_tile/config.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::platform {

template <unsigned Unit>
CUDA_TILE_API void note_mma() {
#if CUDA_TILE_ON_CUDA
  asm volatile("// cuda_tile mma %0" : : "n"(Unit));
#elif defined(__ELF__)
  // The unit and the place in the code, in a section that is not loaded and that is kept or dropped with the
  // function ("?").
  asm inline volatile(".pushsection .cuda_tile_mma, \"?\", %%progbits\n"
                      ".quad %c0, 771f\n"
                      ".popsection\n"
                      "771:"
                      :
                      : "i"(Unit));
#endif
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform
