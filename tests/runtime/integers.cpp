// CUDA's functions of the lanes of words, and others of integers, at their edges.
#include "program.h"

namespace {

// What PTX says of each lane, by hand: bytes 0x80 and 0x7f are -128 and 127, halfwords 0x8000 and 0x7fff
// alike.
static_assert(__vadd4(0x01ff7f80, 0x01018080) == 0x0200ff00 && __vsub2(0x00008000, 0x00010001) == 0xffff7fff);
static_assert(__vaddss4(0x7f800101, 0x7f80ff01) == 0x7f800002 &&
              __vsubss2(0x80007fff, 0x00018000) == 0x80007fff);
static_assert(__vaddus2(0xffff0001, 0x00010001) == 0xffff0002 &&
              __vsubus4(0x01ff0000, 0x02010001) == 0x00fe0000);
static_assert(__vavgs4(0x8001ff00, 0x8002feff) == 0x8002feff &&
              __vavgu2(0x0001ffff, 0x0002ffff) == 0x0002ffff);
static_assert(__vhaddu4(0x01ff0203, 0x02ff0304) == 0x01ff0203);
static_assert(__vabs4(0x80ff017f) == 0x8001017f && __vabsss2(0x8000ffff) == 0x7fff0001);
static_assert(__vneg2(0x80000001) == 0x8000ffff && __vnegss4(0x8001ff00) == 0x7fff0100);
static_assert(__vabsdiffs4(0x80ff0005, 0x7f010205) == 0xff020200 &&
              __vabsdiffu2(0x0001ffff, 0xffff0001) == 0xfffefffe);
static_assert(__vsads2(0x80000001, 0x7fff0003) == 65537 && __vsadu4(0xff000102, 0x00ff0201) == 512);
static_assert(__vcmpgts4(0x80017f00, 0x7f008000) == 0x00ffff00 &&
              __vcmpgtu4(0x80017f00, 0x7f008000) == 0xffff0000);
static_assert(__vcmpeq2(0x12345678, 0x12345679) == 0xffff0000 &&
              __vcmpne4(0x01020304, 0x01ff0304) == 0x00ff0000);
static_assert(__vsetles2(0x80000001, 0x00000000) == 0x00010000 && __vsetltu2(0x80000000, 0x00000001) == 1);
static_assert(__vmaxs2(0x8000ffff, 0x7fff0001) == 0x7fff0001 &&
              __vmaxu2(0x8000ffff, 0x7fff0001) == 0x8000ffff);
static_assert(__vmins4(0x80017f00, 0x00020102) == 0x80010100 &&
              __vminu4(0x80017f00, 0x00020102) == 0x00010100);

static_assert(__vimax3_s32(-5, 3, -1) == 3 && __vimin3_u32(5, 0xffffffff, 9) == 5 &&
              __vimax3_s32_relu(-5, -3, -1) == 0);
static_assert(__vimax_s32_relu(-5, -3) == 0 && __vimin_s16x2_relu(0xffff0005, 0x00010007) == 5);
static_assert(__viaddmax_s32(INT_MAX, 1, -7) == -7 && __viaddmin_u32(0xffffffff, 2, 9) == 1);
static_assert(__viaddmax_s16x2(0x7fff0001, 0x00010001, 0x00008000) == 0x00000002);
static_assert(__viaddmin_s16x2_relu(0x0001ffff, 0x00010000, 0x00050005) == 0x00020000);

static_assert(__dp2a_lo(0x0002ffff, 0x0000ff03, 10) == 5 && __dp2a_hi(0x00020001, 0x05040000, 1) == 15);
static_assert(__dp2a_lo(0xffff0002u, 0xff03u, 1u) == 0xffff * 0xffu + 7);
static_assert(__nv_bswap32(0x12345678) == 0x78563412 && __nv_bswap16(0x1234) == 0x3412);
static_assert(__fns(0xb0, 0, 2) == 5 && __fns(0xb0, 7, -2) == 5 && __fns(0xb0, 6, 0) == 0xffffffff);
static_assert(__fns(0xb0, 5, 1) == 5 && __fns(0xb0, 0, 4) == 0xffffffff && __fns(0xb0, 5, 0) == 5);

} // namespace

CASE(integers_say_which_is_chosen) {
  bool high = false, low = true, is_first = false;
  CHECK(__vibmax_s16x2(0x7fff8000, 0x00010001, &high, &low) == 0x7fff0001 && high && !low);
  CHECK(__vibmin_u16x2(0x7fff8000, 0x7fff0001, &high, &low) == 0x7fff0001 && high && !low);
  CHECK(__vibmin_s32(-1, 2, &is_first) == -1 && is_first);
  CHECK(__vibmax_u32(1, 0xffffffff, &is_first) == 0xffffffff && !is_first);
}

CASE(bessel_functions_and_norms) { // by Abramowitz and Stegun, table 9.8
  const auto is_near = [](double x, double wanted) { return std::fabs(x / wanted - 1) < 1e-9; };
  CHECK(cyl_bessel_i0(0.0) == 1 && cyl_bessel_i1(0.0) == 0);
  CHECK(is_near(cyl_bessel_i0(1.0), 1.2660658777520084) && is_near(cyl_bessel_i1(-1.0), -0.5651591039924850));
  CHECK(is_near(cyl_bessel_i0(-10.0), 2815.7166284662544) && cyl_bessel_i0(1e4) == HUGE_VAL);
  const double sides[] = {std::ldexp(3, 700), std::ldexp(4, 700)};
  CHECK(norm(2, sides) == std::ldexp(5, 700) && normf(0, nullptr) == 0 &&
        rnorm(2, sides) == 1 / std::ldexp(5, 700));
}
