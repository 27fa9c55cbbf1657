// Arithmetic that is rounded once, in any direction, as IEEE 754 wants it: the host's own, in its rounding
// modes. Mode 4 rounds to odd, after which a narrower format can be rounded to as if from the exact result.
#include <cfenv>
#include <cmath>
#include <cstring>
#pragma STDC FENV_ACCESS ON

enum { add, subtract, multiply, divide, square_root, fused };
static const int directions[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};

template <typename T>
static T compute(int operation, T a, T b, T c) {
  volatile T x = a, y = b, z = c, result;
  switch (operation) {
  case add:
    result = x + y;
    break;
  case subtract:
    result = x - y;
    break;
  case multiply:
    result = x * y;
    break;
  case divide:
    result = x / y;
    break;
  case square_root:
    result = std::sqrt(x);
    break;
  default:
    result = std::fma(x, y, z);
  }
  return result;
}

template <typename T, typename Bits>
static void all(int operation, int mode, long count, const T* a, const T* b, const T* c, T* out) {
  int before = std::fegetround();
  std::fesetround(directions[mode]);
  for (long i = 0; i < count; ++i) {
    std::feclearexcept(FE_INEXACT);
    T result = compute(operation, a[i], b[i], c[i]);
    if (mode == 4 && std::fetestexcept(FE_INEXACT)) {
      Bits bits;
      std::memcpy(&bits, &result, sizeof bits);
      bits |= 1;
      std::memcpy(&result, &bits, sizeof bits);
    }
    out[i] = result;
  }
  std::fesetround(before);
}

extern "C" void rounded32(int operation, int mode, long count, const float* a, const float* b, const float* c,
                          float* out) {
  all<float, unsigned>(operation, mode, count, a, b, c, out);
}
extern "C" void rounded64(int operation, int mode, long count, const double* a, const double* b,
                          const double* c, double* out) {
  all<double, unsigned long long>(operation, mode, count, a, b, c, out);
}
