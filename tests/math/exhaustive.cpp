// The largest error of one host math function, in units in the last place: exhaustive FUNCTION TYPE COUNT
//
// A float function of one argument is tried with all 2^32 floats, others with COUNT random arguments. The
// reference for double is the C library's long double function; for float it is this library's double
// function, which takes a tenth of the C library's time and is itself measured.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>

#include "cuda_tile/platform/math.h"

namespace platform = cuda::tiles::platform;

template <typename T>
using wider = std::conditional_t<sizeof(T) == 4, double, long double>;
template <typename T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

constexpr int block = 4096;
constexpr double wrong = 1e9; // where no distance says how wrong

/// |got - want| in units of the last place of a T near `want`; infinity counts as the number after the
/// largest.
template <typename T>
double error_in_ulps(T got, wider<T> want) {
  using limits = std::numeric_limits<T>;
  if (std::isnan(want) || std::isnan(got))
    return std::isnan(want) && std::isnan(got) ? 0 : wrong;
  if (std::isinf(want))
    return static_cast<wider<T>>(got) == want ? 0 : wrong;
  if (got == 0 && std::signbit(got) != std::signbit(want))
    return wrong;
  if (want == 0)
    return got == 0 ? 0 : wrong;
  wider<T> beyond = std::ldexp(static_cast<wider<T>>(1), limits::max_exponent);
  if (std::abs(want) > beyond)
    want = std::copysign(beyond, want);
  int exponent = std::min(std::max(std::ilogb(want), limits::min_exponent - 1), limits::max_exponent - 1);
  wider<T> unit = std::ldexp(static_cast<wider<T>>(1), exponent - (limits::digits - 1));
  wider<T> number = std::isinf(got) ? std::copysign(beyond, static_cast<wider<T>>(got)) : got;
  return static_cast<double>(std::abs(number - want) / unit);
}

template <typename T>
struct worst {
  double error = 0;
  T x = 0, y = 0;
  void see(T got, wider<T> want, T a, T b) {
    T rounded = static_cast<T>(want);
    if (error >= 0.5 && std::memcmp(&got, &rounded, sizeof(T)) == 0)
      return; // the usual case, quickly
    double e = error_in_ulps(got, want);
    if (e > error)
      *this = {e, a, b};
  }
};

/// Numbers of many kinds, the same ones in each run.
template <typename T>
class source {
public:
  T any() {
    auto b = static_cast<bits_of<T>>(generator());
    T x;
    std::memcpy(&x, &b, sizeof x);
    return x;
  }
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(generator() >> 11) * 0x1p-53);
  }
  T of_magnitude(double low, double high) {
    double x = std::exp2(uniform(low, high));
    return static_cast<T>(generator() & 1 ? x : -x);
  }
  /// As close to a multiple of pi/2 as a T can be.
  T near_quarter_turn() {
    long double quarters = static_cast<long double>(generator() >> static_cast<int>(uniform(12, 63)));
    return static_cast<T>(quarters * 1.570796326794896619231321691639751442L);
  }
  T argument(unsigned kind) {
    switch (kind % 6) {
    case 0:
      return any();
    case 1:
      return of_magnitude(-40, 12);
    case 2:
      return static_cast<T>(uniform(-10, 10));
    case 3:
      return static_cast<T>(sizeof(T) == 4 ? uniform(-151, 130) : uniform(-1080, 1030));
    case 4:
      return near_quarter_turn();
    default:
      return static_cast<T>(1 + of_magnitude(-30, 0));
    }
  }
  unsigned long long bits() { return generator(); }

private:
  std::mt19937_64 generator{20250101};
};

template <typename T, typename F, typename Reference>
worst<T> try_random(F f, Reference reference, long long count) {
  source<T> numbers;
  worst<T> most;
  static T x[block], out[block];
  for (long long done = 0; done < count; done += block) {
    for (int i = 0; i < block; ++i)
      x[i] = numbers.argument(static_cast<unsigned>(i));
    for (int i = 0; i < block; ++i)
      out[i] = f(x[i]);
    for (int i = 0; i < block; ++i)
      most.see(out[i], reference(static_cast<wider<T>>(x[i])), x[i], 0);
  }
  return most;
}

/// error_in_ulps of a float, without branches.
double quick_error(float got, double want) {
  auto bits = [](double x) { return __builtin_bit_cast(std::uint64_t, x); };
  auto limited = [](double x) { return x > 0x1p128 ? 0x1p128 : x < -0x1p128 ? -0x1p128 : x; };
  double number = limited(got), exact = limited(want);
  std::uint64_t exponent = bits(std::abs(exact)) >> 52;
  exponent = exponent < 1023 - 126 ? 1023 - 126 : exponent > 1023 + 127 ? 1023 + 127 : exponent;
  double per_unit = __builtin_bit_cast(double, (2 * 1023 + 23 - exponent) << 52);
  double error = std::abs(number - exact) * per_unit;
  bool other_zero = got == 0 && (bits(number) ^ bits(exact)) >> 63;
  bool other_nan = (got != got) != (want != want);
  error = got != got ? 0 : error;
  return other_zero || other_nan ? wrong : error;
}

template <typename F, typename Reference>
worst<float> try_all(F f, Reference reference) {
  worst<float> most;
  static float x[block], out[block];
  static double want[block], error[block];
  for (std::uint64_t first = 0; first < 1ULL << 32; first += block) {
    for (int i = 0; i < block; ++i) {
      auto b = static_cast<std::uint32_t>(first) + static_cast<unsigned>(i);
      x[i] = __builtin_bit_cast(float, b);
    }
    for (int i = 0; i < block; ++i)
      out[i] = f(x[i]);
    for (int i = 0; i < block; ++i)
      want[i] = reference(static_cast<double>(x[i]));
    for (int i = 0; i < block; ++i)
      error[i] = quick_error(out[i], want[i]);
    for (int i = 0; i < block; ++i)
      if (error[i] > most.error)
        most = {error[i], x[i], 0};
  }
  return most;
}

template <typename T, typename F, typename Reference>
worst<T> try_pairs(F f, Reference reference, long long count) {
  source<T> numbers;
  worst<T> most;
  static T x[block], y[block], out[block];
  for (long long done = 0; done < count; done += block) {
    for (int i = 0; i < block; ++i) {
      unsigned kind = static_cast<unsigned>(i);
      x[i] = numbers.argument(kind);
      y[i] = numbers.argument(kind % 5 == 0 ? static_cast<unsigned>(numbers.bits() % 6) : kind);
      if (kind % 4 == 0) { // a power that neither overflows nor vanishes
        x[i] = std::abs(x[i]);
        y[i] = static_cast<T>(numbers.uniform(-1, 1) * (sizeof(T) == 4 ? 104 : 745) /
                              std::log(static_cast<double>(x[i])));
      }
    }
    for (int i = 0; i < block; ++i)
      out[i] = f(x[i], y[i]);
    for (int i = 0; i < block; ++i)
      most.see(out[i], reference(static_cast<wider<T>>(x[i]), static_cast<wider<T>>(y[i])), x[i], y[i]);
  }
  return most;
}

template <typename T>
worst<T> try_function(std::string const& name, long long count) {
#define CASE1(function, reference)                                                                           \
  if (name == #function) {                                                                                   \
    if constexpr (sizeof(T) == 4)                                                                            \
      return try_all([](float x) { return platform::function(x); },                                          \
                     [](double x) { return platform::function(x); });                                        \
    else                                                                                                     \
      return try_random<T>([](T x) { return platform::function(x); }, [](wider<T> x) { return reference; },  \
                           count);                                                                           \
  }
#define CASE2(function)                                                                                      \
  if (name == #function)                                                                                     \
    return try_pairs<T>([](T x, T y) { return platform::function(x, y); },                                   \
                        [](wider<T> x, wider<T> y) { return std::function(x, y); }, count);
  CASE1(exp2, std::exp2(x))
  CASE1(exp, std::exp(x))
  CASE1(log2, std::log2(x))
  CASE1(log, std::log(x))
  CASE1(rsqrt, 1 / std::sqrt(x))
  CASE1(cosh, std::cosh(x))
  CASE1(cos, std::cos(x))
  CASE1(sinh, std::sinh(x))
  CASE1(sin, std::sin(x))
  CASE1(tanh, std::tanh(x))
  CASE1(tan, std::tan(x))
  CASE2(pow)
  CASE2(atan2)
  std::fprintf(stderr, "no function %s\n", name.c_str());
  std::exit(2);
}

template <typename T>
void report(std::string const& name, long long count) {
  worst<T> most = try_function<T>(name, count);
  std::printf("%.4f\t%a\t%a\n", most.error, static_cast<double>(most.x), static_cast<double>(most.y));
}

int main(int argc, char** argv) {
  if (argc != 4)
    return 2;
  long long count = std::atoll(argv[3]);
  std::string(argv[2]) == "float" ? report<float>(argv[1], count) : report<double>(argv[1], count);
}
