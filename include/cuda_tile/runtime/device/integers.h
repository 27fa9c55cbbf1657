// Functions of integers that CUDA has built in.
#pragma once

constexpr int __ffsll(long long x) {
  return x == 0 ? 0 : __builtin_ctzll(static_cast<unsigned long long>(x)) + 1;
}
constexpr unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}

constexpr unsigned umin(unsigned x, unsigned y) { return y < x ? y : x; }
constexpr unsigned umax(unsigned x, unsigned y) { return x < y ? y : x; }
constexpr long long llmin(long long x, long long y) { return y < x ? y : x; }
constexpr long long llmax(long long x, long long y) { return x < y ? y : x; }
constexpr unsigned long long ullmin(unsigned long long x, unsigned long long y) { return y < x ? y : x; }
constexpr unsigned long long ullmax(unsigned long long x, unsigned long long y) { return x < y ? y : x; }

// ---- products --------------------------------------------------------------------------------------------

constexpr int __mulhi(int x, int y) { return static_cast<int>(static_cast<long long>(x) * y >> 32); }
constexpr unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>(static_cast<unsigned long long>(x) * y >> 32);
}
constexpr long long __mul64hi(long long x, long long y) {
  return static_cast<long long>(static_cast<__int128>(x) * y >> 64);
}
constexpr unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}
/// Of the low 24 bits.
constexpr int __mul24(int x, int y) {
  const long long low_x = static_cast<int>(static_cast<unsigned>(x) << 8) >> 8;
  const long long low_y = static_cast<int>(static_cast<unsigned>(y) << 8) >> 8;
  return static_cast<int>(low_x * low_y);
}
constexpr unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffff) * (y & 0xffffff); }

// ---- averages and differences ----------------------------------------------------------------------------

constexpr int __hadd(int x, int y) { return static_cast<int>((static_cast<long long>(x) + y) >> 1); }
constexpr int __rhadd(int x, int y) { return static_cast<int>((static_cast<long long>(x) + y + 1) >> 1); }
constexpr unsigned __uhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((static_cast<unsigned long long>(x) + y) >> 1);
}
constexpr unsigned __urhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((static_cast<unsigned long long>(x) + y + 1) >> 1);
}
constexpr unsigned __sad(int x, int y, unsigned z) {
  return (x < y ? static_cast<unsigned>(y) - static_cast<unsigned>(x)
                : static_cast<unsigned>(x) - static_cast<unsigned>(y)) +
         z;
}
constexpr unsigned __usad(unsigned x, unsigned y, unsigned z) { return (x < y ? y - x : x - y) + z; }

// ---- bytes and shifts ------------------------------------------------------------------------------------

constexpr unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned result = 0;
  for (int i = 0; i != 4; ++i)
    result |= static_cast<unsigned>(bytes >> 8 * (selector >> 4 * i & 7) & 255) << 8 * i;
  return result;
}
constexpr unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>(((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31)) >> 32);
}
constexpr unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
constexpr unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31));
}
constexpr unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

/// z and the products of the four bytes of x and y.
constexpr int __dp4a(int x, int y, int z) {
  auto sum = static_cast<unsigned>(z);
  for (int i = 0; i != 32; i += 8)
    sum += static_cast<unsigned>(static_cast<signed char>(x >> i) * static_cast<signed char>(y >> i));
  return static_cast<int>(sum);
}
constexpr unsigned __dp4a(unsigned x, unsigned y, unsigned z) {
  for (int i = 0; i != 32; i += 8)
    z += (x >> i & 255) * (y >> i & 255);
  return z;
}

/// z and the products of two halfwords of x, and the low or high two bytes of y.
constexpr int __dp2a_lo(int x, int y, int z) {
  return static_cast<int>(
      static_cast<unsigned>(static_cast<short>(x) * static_cast<signed char>(y)) +
      static_cast<unsigned>(static_cast<short>(x >> 16) * static_cast<signed char>(y >> 8)) +
      static_cast<unsigned>(z));
}
constexpr int __dp2a_hi(int x, int y, int z) { return __dp2a_lo(x, y >> 16, z); }
constexpr unsigned __dp2a_lo(unsigned x, unsigned y, unsigned z) {
  return (x & 0xffff) * (y & 255) + (x >> 16) * (y >> 8 & 255) + z;
}
constexpr unsigned __dp2a_hi(unsigned x, unsigned y, unsigned z) { return __dp2a_lo(x, y >> 16, z); }

constexpr unsigned short __nv_bswap16(unsigned short x) { return __builtin_bswap16(x); }
constexpr unsigned __nv_bswap32(unsigned x) { return __builtin_bswap32(x); }
constexpr unsigned long long __nv_bswap64(unsigned long long x) { return __builtin_bswap64(x); }

/// The place of the |offset|-th bit that is set in a mask, from a base on: upwards, or downwards if `offset`
/// is negative; all ones if there is none.
constexpr unsigned __fns(unsigned mask, unsigned base, int offset) {
  if (offset == 0)
    return mask >> (base & 31) & 1 ? base : 0xffffffff;
  int left = offset < 0 ? -offset : offset;
  for (int at = static_cast<int>(base); at >= 0 && at < 32; at += offset < 0 ? -1 : 1)
    if (mask >> at & 1 && --left == 0)
      return static_cast<unsigned>(at);
  return 0xffffffff;
}
