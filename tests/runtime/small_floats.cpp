// Functions of half, bfloat16 and fp8 that threads call: against long double, and at edges.
#include "program.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cmath>
#include <limits>

namespace {

template <typename E>
E of_bits(unsigned bits) {
  return cuda_tile::runtime::with_bits<E>(bits);
}
template <typename E>
bool is_same(E a, E b) {
  return a.__x == b.__x || (a != a && b != b);
}

/// The nearest finite element to an exact value that is in their range; of two, the one whose last bit is 0.
template <typename E>
E nearest(long double exact) {
  E best = of_bits<E>(0);
  for (unsigned bits = 0; bits != 0x10000; ++bits) {
    const E one = of_bits<E>(bits);
    const long double off = std::fabs(float(one) - exact), least = std::fabs(float(best) - exact);
    if (off < least || (off == least && bits % 2 == 0 && std::signbit(float(one)) == std::signbit(exact)))
      best = one;
  }
  return best;
}

template <typename E>
void check_fma() {
  const E one_ninth = 1.0f / 9, tiny = std::ldexp(1.0f, -14);
  for (const E a : {E(1.0625f), one_ninth, E(-3.1f), tiny})
    for (const E b : {E(1.0625f), E(0.9f), tiny})
      for (const E c : {tiny, E(-1.0f), E(100.0f), E(0.0f)}) {
        const long double exact = (long double)float(a) * float(b) + float(c);
        CHECK(is_same(__hfma(a, b, c), nearest<E>(exact)));
      }
  CHECK(__hfma(E(INFINITY), E(0), E(1)) != __hfma(E(INFINITY), E(0), E(1)));
  CHECK(float(__hfma(E(-2), E(INFINITY), E(1))) == -INFINITY);
  CHECK(__hfma_relu(E(-2), E(3), E(1)) == E(0) && __hfma_sat(E(2), E(3), E(1)) == E(1));
}

template <typename E>
void check_order() {
  const E nan = NAN, zero = 0.0f, minus = -0.0f, one = 1.0f;
  CHECK(is_same(__hmax(nan, one), one) && is_same(__hmin(one, nan), one) && is_same(__hmax(nan, nan), nan));
  CHECK(is_same(__hmax_nan(one, nan), nan) && is_same(__hmin_nan(nan, one), nan));
  CHECK(is_same(__hmax(minus, zero), zero) && is_same(__hmin(zero, minus), minus));
  CHECK(is_same(__habs(minus), zero) && is_same(__habs(E(-3)), E(3)));
  CHECK(__hisinf(E(-INFINITY)) == -1 && __hisinf(E(INFINITY)) == 1 && __hisinf(nan) == 0);
  CHECK(__hgtu(nan, one) && !__hgt(nan, one) && __hleu(one, one));
  CHECK(is_same(__hadd_sat(one, one), one) && is_same(__hsub_sat(zero, one), zero));
  CHECK(is_same(__hmul_sat(nan, one), zero));
  E count = one;
  count += 2; // converted
  CHECK(count++ == E(3) && --count == E(3) && is_same(hrcp(E(4)), E(0.25f)) &&
        is_same(hsqrt(E(2)), E(sqrtf(2))));
}

template <typename P, typename E>
void check_pairs() {
  const P a{E(1.5f), E(-2)}, b{E(0.5f), E(-2)};
  P c = __hadd2(a, b);
  CHECK(c == P{E(2), E(-4)} && a + b == c && a * b == P{E(0.75f), E(4)} && a / b == P{E(3), E(1)} &&
        -a == P{E(-1.5f), E(2)});
  c -= a;
  CHECK(c == b && !(a == b) && __hfma2(a, b, a) == P{E(2.25f), E(2)} &&
        __lowhigh2highlow(a) == P{E(-2), E(1.5f)});
  CHECK(__hgt2(a, b) == P{E(1), E(0)} && __heq2_mask(a, b) == 0xffff0000 && __hbge2(a, b) && !__hbgt2(a, b));
  CHECK(__habs2(a) == P{E(1.5f), E(2)} && __hmax2(a, b) == P{E(1.5f), E(-2)} && h2floor(a) == P{E(1), E(-2)});
  CHECK(__hbneu2(P{E(NAN), E(1)}, P{E(NAN), E(2)}) && __hisnan2(P{E(NAN), E(2)}) == P{E(1), E(0)});
}

/// The value of a finite fp8 number below whose sign are bits of an exponent and of a mantissa.
float value_of_fp8(unsigned bits, int mantissa) {
  const int bias = (1 << (6 - mantissa)) - 1, exponent = static_cast<int>((bits & 0x7f) >> mantissa);
  const int digits = static_cast<int>(bits) & ((1 << mantissa) - 1), one = exponent != 0 ? 1 << mantissa : 0;
  const auto magnitude =
      std::ldexp(static_cast<float>(one + digits), (exponent != 0 ? exponent : 1) - bias - mantissa);
  return bits & 0x80 ? -magnitude : magnitude;
}

/// Each number, and the middle between it and the next one, which becomes the one whose last bit is 0.
template <typename E>
void check_fp8(__nv_fp8_interpretation_t type, int mantissa, unsigned greatest) {
  for (unsigned bits = 0; bits <= greatest; ++bits) {
    const float value = value_of_fp8(bits, mantissa), middle = (value + value_of_fp8(bits + 1, mantissa)) / 2;
    const unsigned even = bits % 2 == 0 || bits == greatest ? bits : bits + 1;
    const auto byte = static_cast<__nv_fp8_storage_t>(bits | 0x80);
    CHECK(float(__half(__nv_cvt_fp8_to_halfraw(byte, type))) == -value);
    CHECK(__nv_cvt_float_to_fp8(-value, __NV_NOSAT, type) == byte);
    CHECK(__nv_cvt_float_to_fp8(middle, __NV_SATFINITE, type) == even);
    CHECK(__nv_cvt_double_to_fp8(middle * (1 - 1e-12), __NV_SATFINITE, type) == bits);
    CHECK(__nv_cvt_halfraw_to_fp8(__half(value), __NV_SATFINITE, type) == bits);
    CHECK(__nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16(value), __NV_SATFINITE, type) == bits);
    const E number(value);
    CHECK(static_cast<double>(number) == value && E(static_cast<__half>(number)).__x == bits);
    CHECK(static_cast<float>(static_cast<__nv_bfloat16>(number)) == value);
    CHECK(static_cast<int>(number) == static_cast<int>(value) && static_cast<bool>(number) == (value != 0));
  }
}

} // namespace

CASE(small_floats_of_8_bits) {
  check_fp8<__nv_fp8_e4m3>(__NV_E4M3, 3, 0x7e);
  check_fp8<__nv_fp8_e5m2>(__NV_E5M2, 2, 0x7b);
  CHECK(__nv_cvt_float_to_fp8(464, __NV_NOSAT, __NV_E4M3) == 0x7e);
  CHECK(__nv_cvt_float_to_fp8(465, __NV_NOSAT, __NV_E4M3) == 0x7f);
  CHECK(__nv_cvt_double_to_fp8(-61440, __NV_NOSAT, __NV_E5M2) == 0xfc);
  CHECK(__nv_cvt_float_to_fp8(-INFINITY, __NV_SATFINITE, __NV_E5M2) == 0xfb);
  CHECK(__nv_cvt_float2_to_fp8x2({1, -2}, __NV_SATFINITE, __NV_E4M3) == 0xc038);
  CHECK(__nv_cvt_double2_to_fp8x2({1, 1e9}, __NV_SATFINITE, __NV_E5M2) == 0x7b3c);
  CHECK(__nv_cvt_halfraw2_to_fp8x2(__half2{1.0f, 1.5f}, __NV_SATFINITE, __NV_E4M3) == 0x3c38);
  CHECK(__nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162{1.0f, 1.5f}, __NV_SATFINITE, __NV_E5M2) == 0x3e3c);
  CHECK(__half2(__nv_cvt_fp8x2_to_halfraw2(0x3c38, __NV_E4M3)) == __half2{1.0f, 1.5f});
  const __nv_fp8x2_e4m3 pair(make_double2(0.5, -1e9));
  CHECK(static_cast<float2>(pair).x == 0.5f && static_cast<__half2>(pair) == __half2{0.5f, -448.0f});
  CHECK(__nv_fp8x2_e5m2(__half2{1.0f, 2.0f}).__x == 0x403c);
  const __nv_fp8x4_e5m2 four(__nv_bfloat162{1.0f, 2.0f}, __nv_bfloat162{3.0f, 4.0f});
  CHECK(four.__x == 0x4442403c && static_cast<float4>(four).w == 4);
  CHECK(__nv_fp8x4_e4m3(make_float4(1, 2, 4, 8)).__x == 0x50484038);
  CHECK(__nv_fp8x4_e4m3(__half2{1.0f, 2.0f}, __half2{4.0f, 8.0f}).__x == 0x50484038);
}

CASE(small_floats) {
  check_fma<__half>();
  check_fma<__nv_bfloat16>();
  // Above and below the middle of two bfloat16, by less than a double sees.
  const __nv_bfloat16 x = 1.0625f, tiny = std::ldexp(1.0f, -100);
  CHECK(__hfma(x, x, tiny) == __nv_bfloat16(1.1328125f) && __hfma(x, x, -tiny) == __nv_bfloat16(1.125f));
  check_order<__half>();
  check_order<__nv_bfloat16>();
  check_pairs<__half2, __half>();
  check_pairs<__nv_bfloat162, __nv_bfloat16>();
}

CASE(small_floats_are_converted) {
  CHECK(__float2half_rz(70000.0f).__x == 0x7bff && __float2half_rd(70000.0f).__x == 0x7bff);
  CHECK(__float2half_ru(70000.0f).__x == 0x7c00 && __float2half_rz(-70000.0f).__x == 0xfbff);
  CHECK(__float2half_ru(1e-20f).__x == 1 && __float2half_rd(1e-20f).__x == 0);
  CHECK(__float2half_rd(-1e-20f).__x == 0x8001 && __float2half_rz(-1e-20f).__x == 0x8000);
  CHECK(float(__float2half_ru(1.0001f)) == 1.0009765625f &&
        float(__float2half_rd(-1.0001f)) == -1.0009765625f);
  CHECK(float(__float2bfloat16_rz(1.999f)) == 1.9921875f && float(__float2bfloat16_ru(1.001f)) == 1.0078125f);
  CHECK(__hisnan(__float2half_ru(NAN)) && __float2half_rz(INFINITY).__x == 0x7c00);
  CHECK(__half2int_rz(-2.5f) == -2 && __half2int_rd(-2.5f) == -3 && __half2int_rn(2.5f) == 2 &&
        __half2int_ru(2.5f) == 3);
  CHECK(__half2uint_rn(-1.0f) == 0 && __half2short_rz(INFINITY) == 32767 && __half2int_rn(NAN) == 0);
  CHECK(__int2half_rz(65519).__x == 0x7bff && __int2half_ru(2049).__x == __half(2050.0f).__x);
  CHECK(__bfloat162ull_rz(1e30f) == std::numeric_limits<unsigned long long>::max());
  const float2 pair = __half22float2(__float22half2_rn(make_float2(1.0f, 0.1f)));
  CHECK(pair.x == 1 && pair.y == float(__half(0.1f)) &&
        __low2half2(__half2{1.0f, 2.0f}) == __half2half2(1.0f));
  CHECK(__lows2bfloat162({1.0f, 2.0f}, {3.0f, 4.0f}) == __nv_bfloat162{1.0f, 3.0f});
  CHECK(__ll2half_rz(-2049) == __half(-2048.0f) && __ull2bfloat16_ru((1ull << 63) + 1).__x == 0x5f01);
  CHECK(__ushort2half_rd(65535).__x == 0x7bff && __half2uchar_rz(__half(300.0f)) == 255);
  const __half_raw raw = __half(1.0f);
  CHECK(raw.x == 0x3c00 && __half(__half_raw{0x4000}) == __half(2.0f));
  CHECK(__half2_raw(__half2{1.0f, 2.0f}).y == 0x4000);
  CHECK(__hcmadd(__half2{1.0f, 2.0f}, __half2{3.0f, 4.0f}, __half2{1.0f, 1.0f}) == __half2{-4.0f, 11.0f});
  CHECK(static_cast<__half>(__nv_bfloat16(-2.5f)) == __half(-2.5f) &&
        static_cast<__nv_bfloat16>(__half(0.1f)) == __nv_bfloat16(float(__half(0.1f))));
  CHECK(__half_as_short(__short_as_half(-2)) == -2 && umin(3u, 4u) == 3 && llmax(-1, 2) == 2);
}
