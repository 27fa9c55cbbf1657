// <cuComplex.h>: complex numbers in C, for programs.
#pragma once

#include <cuda_runtime.h>
#include <math.h>

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define CUDA_TILE_COMPLEX __host__ __device__ static __inline__ __attribute__((unused))

/// f is the suffix of the functions for `real`, those of the C library among them.
#define CUDA_TILE_COMPLEX_FUNCTIONS(complex, real, f)                                                        \
  CUDA_TILE_COMPLEX complex make_##complex(real x, real y) {                                                 \
    complex z;                                                                                               \
    z.x = x;                                                                                                 \
    z.y = y;                                                                                                 \
    return z;                                                                                                \
  }                                                                                                          \
  CUDA_TILE_COMPLEX real cuCreal##f(complex z) { return z.x; }                                               \
  CUDA_TILE_COMPLEX real cuCimag##f(complex z) { return z.y; }                                               \
  CUDA_TILE_COMPLEX complex cuConj##f(complex z) { return make_##complex(z.x, -z.y); }                       \
  CUDA_TILE_COMPLEX real cuCabs##f(complex z) { return hypot##f(z.x, z.y); }                                 \
  CUDA_TILE_COMPLEX complex cuCadd##f(complex a, complex b) { return make_##complex(a.x + b.x, a.y + b.y); } \
  CUDA_TILE_COMPLEX complex cuCsub##f(complex a, complex b) { return make_##complex(a.x - b.x, a.y - b.y); } \
  CUDA_TILE_COMPLEX complex cuCmul##f(complex a, complex b) {                                                \
    return make_##complex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                     \
  }                                                                                                          \
  CUDA_TILE_COMPLEX complex cuCfma##f(complex a, complex b, complex c) {                                     \
    return make_##complex(fma##f(-a.y, b.y, fma##f(a.x, b.x, c.x)),                                          \
                          fma##f(a.y, b.x, fma##f(a.x, b.y, c.y)));                                          \
  }                                                                                                          \
  CUDA_TILE_COMPLEX complex cuCdiv##f(complex a, complex b) { /* scaled: squares would overflow */           \
    const real scale = fabs##f(b.x) + fabs##f(b.y), x = b.x / scale, y = b.y / scale;                        \
    const real square = (x * x + y * y) * scale;                                                             \
    return make_##complex((a.x * x + a.y * y) / square, (a.y * x - a.x * y) / square);                       \
  }
CUDA_TILE_COMPLEX_FUNCTIONS(cuFloatComplex, float, f)
CUDA_TILE_COMPLEX_FUNCTIONS(cuDoubleComplex, double, )

CUDA_TILE_COMPLEX cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
CUDA_TILE_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) {
  return make_cuDoubleComplex(z.x, z.y);
}
CUDA_TILE_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
  return make_cuFloatComplex((float)z.x, (float)z.y);
}

#undef CUDA_TILE_COMPLEX
#undef CUDA_TILE_COMPLEX_FUNCTIONS
