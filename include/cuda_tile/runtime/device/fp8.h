// What programs find in cuda_fp8.h beside the types of one number: pairs and quadruples of them, and
// conversions of their bits.
#pragma once

#include "cuda_tile/compatible/small_floats/small_float.h"
#include "cuda_tile/vector_types.h"

using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned;

/// What a finite value beyond the type's becomes: the nearest that the type has, or an infinity, or else NaN.
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

namespace cuda_tile::runtime {

template <typename E, typename T>
__nv_fp8_storage_t fp8_bits(T x, __nv_saturation_t saturation) {
  using namespace cuda::tiles::detail;
  if (saturation == __NV_SATFINITE)
    return E(x).__x;
  using Traits = scalar_traits<E>;
  using format = small_format<Traits::mantissa_bits, Traits::exponent_bits, Traits::beyond, false>;
  if constexpr (is_same_v<T, double>)
    return static_cast<__nv_fp8_storage_t>(format::from_float(to_odd_float(x)));
  else
    return static_cast<__nv_fp8_storage_t>(format::from_float(static_cast<float>(x)));
}
template <typename T>
__nv_fp8_storage_t fp8_bits(T x, __nv_saturation_t saturation, __nv_fp8_interpretation_t type) {
  return type == __NV_E4M3 ? fp8_bits<__nv_fp8_e4m3>(x, saturation) : fp8_bits<__nv_fp8_e5m2>(x, saturation);
}
template <typename P>
__nv_fp8x2_storage_t fp8_pair_bits(P v, __nv_saturation_t saturation, __nv_fp8_interpretation_t type) {
  return static_cast<__nv_fp8x2_storage_t>(fp8_bits(v.x, saturation, type) | fp8_bits(v.y, saturation, type)
                                                                                 << 8);
}

template <typename E>
E fp8_of(unsigned bits) {
  E x;
  x.__x = static_cast<__nv_fp8_storage_t>(bits);
  return x;
}

} // namespace cuda_tile::runtime

#define CUDA_TILE_TO_FP8(name, T, x)                                                                         \
  inline __nv_fp8_storage_t __nv_cvt_##name##_to_fp8(T v, __nv_saturation_t saturation,                      \
                                                     __nv_fp8_interpretation_t type) {                       \
    return cuda_tile::runtime::fp8_bits(x, saturation, type);                                                \
  }
#define CUDA_TILE_TO_FP8X2(name, T, x)                                                                       \
  inline __nv_fp8x2_storage_t __nv_cvt_##name##_to_fp8x2(T v, __nv_saturation_t saturation,                  \
                                                         __nv_fp8_interpretation_t type) {                   \
    return cuda_tile::runtime::fp8_pair_bits(x, saturation, type);                                           \
  }
CUDA_TILE_TO_FP8(float, float, v)
CUDA_TILE_TO_FP8(double, double, v)
CUDA_TILE_TO_FP8(halfraw, __half_raw, __half(v))
CUDA_TILE_TO_FP8(bfloat16raw, __nv_bfloat16_raw, __nv_bfloat16(v))
CUDA_TILE_TO_FP8X2(float2, float2, v)
CUDA_TILE_TO_FP8X2(double2, double2, v)
CUDA_TILE_TO_FP8X2(halfraw2, __half2_raw, __half2(v))
CUDA_TILE_TO_FP8X2(bfloat16raw2, __nv_bfloat162_raw, __nv_bfloat162(v))
#undef CUDA_TILE_TO_FP8
#undef CUDA_TILE_TO_FP8X2

/// Exact: half has all values of both types.
inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t type) {
  return type == __NV_E4M3 ? static_cast<__half>(cuda_tile::runtime::fp8_of<__nv_fp8_e4m3>(x))
                           : static_cast<__half>(cuda_tile::runtime::fp8_of<__nv_fp8_e5m2>(x));
}
inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t v, __nv_fp8_interpretation_t type) {
  return {__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(v & 0xff), type).x,
          __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(v >> 8), type).x};
}

// ---- several numbers -------------------------------------------------------------------------------------

namespace cuda_tile::runtime {

/// Two numbers of type E, the first one in the low bits.
template <typename E>
struct fp8_pair {
  __nv_fp8x2_storage_t __x;

  fp8_pair() = default;
  explicit fp8_pair(float2 v) : fp8_pair(v.x, v.y) {}
  explicit fp8_pair(double2 v) : fp8_pair(v.x, v.y) {}
  explicit fp8_pair(__half2 v) : fp8_pair(v.x, v.y) {}
  explicit fp8_pair(__nv_bfloat162 v) : fp8_pair(v.x, v.y) {}
  explicit operator float2() const {
    return {static_cast<float>(fp8_of<E>(__x)), static_cast<float>(fp8_of<E>(__x >> 8))};
  }
  explicit operator __half2() const { return {static_cast<float2>(*this).x, static_cast<float2>(*this).y}; }

private:
  template <typename T>
  fp8_pair(T x, T y) : __x(static_cast<__nv_fp8x2_storage_t>(E(x).__x | E(y).__x << 8)) {}
};

/// Four of them.
template <typename E>
struct fp8_quadruple {
  __nv_fp8x4_storage_t __x;

  fp8_quadruple() = default;
  explicit fp8_quadruple(float4 v) : fp8_quadruple(float2{v.x, v.y}, float2{v.z, v.w}) {}
  explicit fp8_quadruple(double4 v) : fp8_quadruple(double2{v.x, v.y}, double2{v.z, v.w}) {}
  explicit fp8_quadruple(__half2 low, __half2 high) : fp8_quadruple(fp8_pair<E>(low), fp8_pair<E>(high)) {}
  explicit fp8_quadruple(__nv_bfloat162 low, __nv_bfloat162 high)
      : fp8_quadruple(fp8_pair<E>(low), fp8_pair<E>(high)) {}
  explicit operator float4() const {
    return {static_cast<float>(fp8_of<E>(__x)), static_cast<float>(fp8_of<E>(__x >> 8)),
            static_cast<float>(fp8_of<E>(__x >> 16)), static_cast<float>(fp8_of<E>(__x >> 24))};
  }

private:
  fp8_quadruple(float2 low, float2 high) : fp8_quadruple(fp8_pair<E>(low), fp8_pair<E>(high)) {}
  fp8_quadruple(double2 low, double2 high) : fp8_quadruple(fp8_pair<E>(low), fp8_pair<E>(high)) {}
  fp8_quadruple(fp8_pair<E> low, fp8_pair<E> high)
      : __x(low.__x | static_cast<__nv_fp8x4_storage_t>(high.__x) << 16) {}
};

} // namespace cuda_tile::runtime

#define CUDA_TILE_FP8_GROUPS(E)                                                                              \
  struct __nv_fp8x2_##E : cuda_tile::runtime::fp8_pair<__nv_fp8_##E> {                                       \
    using fp8_pair::fp8_pair;                                                                                \
  };                                                                                                         \
  struct __nv_fp8x4_##E : cuda_tile::runtime::fp8_quadruple<__nv_fp8_##E> {                                  \
    using fp8_quadruple::fp8_quadruple;                                                                      \
  };
CUDA_TILE_FP8_GROUPS(e4m3)
CUDA_TILE_FP8_GROUPS(e5m2)
#undef CUDA_TILE_FP8_GROUPS
