// The platform of record mode, which runs nothing: what other platforms compute is called by its name.
#pragma once

#include "cuda_tile/config.h"
#include "cuda_tile/platform/record_calls.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::platform {

namespace record = ::cuda_tile::record;

inline constexpr unsigned block_threads = 1;
inline constexpr size_t scratch_bytes = 0, scratch_limit = 0;
constexpr unsigned thread() { return 0; }
constexpr void barrier() {}

/// Whether small floats are converted by the operators of their types: by the conversion's name.
inline constexpr bool small_floats_convert = true;

inline float to_float(double x) { return static_cast<float>(x); }

/// a * b + c, for products that go by their name instead.
template <typename T>
T multiply_add(T a, T b, T c);

template <typename To, typename From>
constexpr To bit_cast(From const& from) {
  return __builtin_bit_cast(To, from);
}
template <size_t Bytes>
inline void copy(void* to, void const* from) {
  __builtin_memcpy(to, from, Bytes);
}

// clang-format off
#pragma clang fp contract(off)
template <typename T> constexpr T add(T a, T b) { return a + b; }
template <typename T> constexpr T sub(T a, T b) { return a - b; }
template <typename T> constexpr T mul(T a, T b) { return a * b; }
template <typename T> constexpr T div(T a, T b) { return a / b; }
inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }

#define CUDA_TILE_RECORDED(name, function)                                                                   \
  template <typename T, typename... More>                                                                    \
  CUDA_TILE_API T name(T x, More... more) {                                                                  \
    return record::pure<record::elementwise<record::functions::function, T>, T>(x, more...);                 \
  }
CUDA_TILE_RECORDED(fmod, remainder)
CUDA_TILE_RECORDED(ceil, ceil)
CUDA_TILE_RECORDED(floor, floor)
CUDA_TILE_RECORDED(pow, pow)
CUDA_TILE_RECORDED(exp2, exp2)
CUDA_TILE_RECORDED(exp, exp)
CUDA_TILE_RECORDED(log2, log2)
CUDA_TILE_RECORDED(log, log)
CUDA_TILE_RECORDED(sqrt, sqrt)
CUDA_TILE_RECORDED(rsqrt, rsqrt)
CUDA_TILE_RECORDED(cosh, cosh)
CUDA_TILE_RECORDED(cos, cos)
CUDA_TILE_RECORDED(sinh, sinh)
CUDA_TILE_RECORDED(sin, sin)
CUDA_TILE_RECORDED(tanh, tanh)
CUDA_TILE_RECORDED(tan, tan)
CUDA_TILE_RECORDED(atan2, atan2)
CUDA_TILE_RECORDED(full_div, full_div)
CUDA_TILE_RECORDED(approximate_div, approximate_div)
CUDA_TILE_RECORDED(approximate_sqrt, approximate_sqrt)
#undef CUDA_TILE_RECORDED
// clang-format on

namespace rounded { // directed rounding goes by a function's name (record/functions.h), and never comes here
template <int Mode, typename T, typename... More>
T add(T, More...);
template <int Mode, typename T, typename... More>
T sub(T, More...);
template <int Mode, typename T, typename... More>
T mul(T, More...);
template <int Mode, typename T, typename... More>
T div(T, More...);
template <int Mode, typename T, typename... More>
T fma(T, More...);
template <int Mode, typename T, typename... More>
T sqrt(T, More...);
} // namespace rounded

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform
