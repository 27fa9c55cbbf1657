// printf and its relatives accept numbers and pointers only.
//
// C accepts an object of any class after the format and prints some of its bytes. Where an argument is an
// object, these overloads are chosen instead, one for each position of the last object. They are functions
// without a body and no templates: kernels may be named printf too, and core/signature.h finds the kernel
// among functions of its name only if none of them is a template.
#pragma once

#include "cuda_tile/config.h"

#if !CUDA_TILE_RECORD // which has its own (record/printf.h)

struct _IO_FILE; // FILE in the C libraries of Linux

namespace cuda::tiles::inline CUDA_TILE_ABI::detail::printing {

/// Any argument; C's function is preferred, unless a later argument is an object.
struct any {
  template <typename T>
  __host__ __device__ any(T const&);
};

/// An argument that is an object. A compiler reports each constructor once: those of other positions are
/// others.
template <unsigned Position>
struct object {
  template <typename T>
    requires(__is_class(T))
  __host__ __device__ object(T const&) {
    static_assert(sizeof(T) == 0,
                  "printf takes no tile or other object: print a tile by cuda_tile::print(t) of "
                  "cuda_tile/print.h, a small float as static_cast<float>(x)");
  }
};

#define CUDA_TILE_OBJECT(name, position, ...)                                                                \
  __host__ __device__ int name(__VA_ARGS__, object<position>, ...);
#define CUDA_TILE_OBJECT_IN_4(name, first, ...)                                                              \
  CUDA_TILE_OBJECT(name, first, __VA_ARGS__)                                                                 \
  CUDA_TILE_OBJECT(name, first + 1, __VA_ARGS__, any)                                                        \
  CUDA_TILE_OBJECT(name, first + 2, __VA_ARGS__, any, any)                                                   \
  CUDA_TILE_OBJECT(name, first + 3, __VA_ARGS__, any, any, any)
#define CUDA_TILE_OBJECT_IN_16(name, ...)                                                                    \
  CUDA_TILE_OBJECT_IN_4(name, 0, __VA_ARGS__)                                                                \
  CUDA_TILE_OBJECT_IN_4(name, 4, __VA_ARGS__, any, any, any, any)                                            \
  CUDA_TILE_OBJECT_IN_4(name, 8, __VA_ARGS__, any, any, any, any, any, any, any, any)                        \
  CUDA_TILE_OBJECT_IN_4(name, 12, __VA_ARGS__, any, any, any, any, any, any, any, any, any, any, any, any)
CUDA_TILE_OBJECT_IN_16(printf, char const*)
CUDA_TILE_OBJECT_IN_16(fprintf, _IO_FILE*, char const*)
CUDA_TILE_OBJECT_IN_16(sprintf, char*, char const*)
CUDA_TILE_OBJECT_IN_16(snprintf, char*, size_t, char const*)
#undef CUDA_TILE_OBJECT_IN_16
#undef CUDA_TILE_OBJECT_IN_4
#undef CUDA_TILE_OBJECT

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail::printing

using cuda::tiles::detail::printing::fprintf;
using cuda::tiles::detail::printing::printf;
using cuda::tiles::detail::printing::snprintf;
using cuda::tiles::detail::printing::sprintf;

namespace std {
using ::fprintf;
using ::printf;
using ::snprintf;
using ::sprintf;
} // namespace std

#endif
