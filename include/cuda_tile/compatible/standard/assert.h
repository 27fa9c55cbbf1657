// <assert.h> for NVRTC, which has assert built in, and for clang in record mode. It may be included again,
// after NDEBUG has changed.

#if CUDA_TILE_RECORD
#undef assert
#if defined(NDEBUG)
#define assert(...) static_cast<void>(0)
#else
#include "cuda_tile/platform/record_calls.h"
#define CUDA_TILE_TEXT_OF(x) #x
#define CUDA_TILE_TEXT(x) CUDA_TILE_TEXT_OF(x)
#define assert(...)                                                                                          \
  cuda_tile::record::effect<cuda_tile::record::asserted, void>(                                              \
      static_cast<bool>(__VA_ARGS__), __FILE__ ":" CUDA_TILE_TEXT(__LINE__) ": " #__VA_ARGS__ " failed")
#endif
#endif
