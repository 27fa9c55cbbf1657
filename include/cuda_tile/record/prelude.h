// Functions of C that CUDA has built in. Some are only declared: the translator knows which of them Tile IR
// has.
#pragma once

#include "cuda_tile/predefined.h"
#include "cuda_tile/record/other_code.h"

#include <assert.h>

#define noinline always_inline // Tile IR has no calls

using ptrdiff_t = decltype(static_cast<char*>(nullptr) - static_cast<char*>(nullptr));

extern "C" {

int printf(char const*, ...) __attribute__((format(printf, 1, 2)));

#define CUDA_TILE_C1(name)                                                                                   \
  [[gnu::const]] float name##f(float) noexcept;                                                              \
  [[gnu::const]] double name(double) noexcept;
CUDA_TILE_C1(ceil)
CUDA_TILE_C1(cos)
CUDA_TILE_C1(cosh)
CUDA_TILE_C1(cyl_bessel_i0)
CUDA_TILE_C1(cyl_bessel_i1)
CUDA_TILE_C1(erfcinv)
CUDA_TILE_C1(erfcx)
CUDA_TILE_C1(erfinv)
CUDA_TILE_C1(exp)
CUDA_TILE_C1(exp2)
CUDA_TILE_C1(fabs)
CUDA_TILE_C1(floor)
CUDA_TILE_C1(j0)
CUDA_TILE_C1(j1)
CUDA_TILE_C1(lgamma)
CUDA_TILE_C1(log)
CUDA_TILE_C1(log2)
CUDA_TILE_C1(logb)
CUDA_TILE_C1(normcdfinv)
CUDA_TILE_C1(sin)
CUDA_TILE_C1(sinh)
CUDA_TILE_C1(sqrt)
CUDA_TILE_C1(tan)
CUDA_TILE_C1(tanh)
CUDA_TILE_C1(tgamma)
CUDA_TILE_C1(rsqrt)
CUDA_TILE_C1(y0)
CUDA_TILE_C1(y1)
#undef CUDA_TILE_C1

#define CUDA_TILE_C2(name)                                                                                   \
  [[gnu::const]] float name##f(float, float) noexcept;                                                       \
  [[gnu::const]] double name(double, double) noexcept;
CUDA_TILE_C2(atan2)
CUDA_TILE_C2(copysign)
CUDA_TILE_C2(fmax)
CUDA_TILE_C2(fmin)
CUDA_TILE_C2(fmod)
CUDA_TILE_C2(nextafter)
CUDA_TILE_C2(pow)
CUDA_TILE_C2(remainder)
#undef CUDA_TILE_C2

[[gnu::const]] float fmaf(float, float, float) noexcept;
[[gnu::const]] double fma(double, double, double) noexcept;
[[gnu::const]] int abs(int) noexcept;
[[gnu::const]] long labs(long) noexcept;
[[gnu::const]] long long llabs(long long) noexcept;

} // extern "C"

#include "cuda_tile/record/c_math.h"
#include "cuda_tile/record/c_memory.h"
