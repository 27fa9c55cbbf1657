// Standard headers and NVIDIA's, as kernels use them. The fallback versions are used if a compiler has none.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_tf32.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <climits>
#include <cmath>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numbers>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "cuda_tile.h"

namespace ct = cuda::tiles;
static_assert(std::is_same_v<int, int> && !std::is_same<int, float>::value &&
              std::is_floating_point_v<const float>);
static_assert(std::numeric_limits<int>::max() == 2147483647 &&
              std::numeric_limits<int>::min() == -2147483647 - 1);
static_assert(std::numeric_limits<unsigned char>::max() == 255 && std::numeric_limits<int64_t>::min() < 0 &&
              std::numeric_limits<bool>::max());
static_assert(std::numeric_limits<signed char>::min() == -128 &&
              std::numeric_limits<uint64_t>::max() == ~uint64_t(0));
static_assert(std::is_same_v<std::conditional_t<true, float, int>, float>);
static_assert(std::is_same_v<std::common_type_t<int, float>, float>);
static_assert(std::same_as<std::make_unsigned_t<int>, unsigned>);
static_assert(std::is_same_v<std::make_index_sequence<3>, std::index_sequence<0, 1, 2>>);
static_assert(std::is_convertible_v<int, float> && !std::is_convertible_v<int*, float>);
static_assert(std::numbers::pi_v<float> > 3.14f && std::numbers::e < 2.72);
static_assert(std::optional<int>(3).value_or(4) + std::optional<int>().value_or(4) == 7);
static_assert((1 <=> 2) < 0 && (1.0 <=> 1.0) == 0 && 2 <=> 1 > 0);
constexpr int primes[] = {2, 3, 5};
static_assert(std::span(primes).subspan(1).front() == 3 && std::size(primes) == 3);
enum class mode : unsigned char { a, b };
static_assert(std::is_same_v<std::underlying_type_t<mode>, unsigned char>);
template <std::floating_point T>
__tile__ T twice(T x) {
  return x + x;
}
template <typename... T, std::size_t... I>
__tile__ int count(std::index_sequence<I...>) {
  return (int(I) + ... + 0);
}
__tile_global__ void standard_headers(float* x, uint32_t n, std::size_t m, int64_t l) {
  auto i = ct::iota<ct::tile<int, ct::shape<8>>>();
  float inf = INFINITY, nan = NAN;
  auto a = ct::load(x + i);
  a = ct::select(a > 0.0f, a, ct::full<ct::tile<float, ct::shape<8>>>(-INFINITY));
  a = ct::max(a, std::numeric_limits<float>::lowest());
  auto p = std::make_pair(1, 2.0f);
  auto [u, v] = p;
  int b = 1, c;
  c = std::move(b) + u;
  ct::store(x + i, a * twice(v) + nan + inf + float(count(std::make_index_sequence<3>{})));
  std::array<int, 3> three{1, 2, 3};
  int most = std::max(three[0], three[2]) + std::min(INT_MAX, 1) + std::clamp(5, 0, 3);
  ct::store(x, static_cast<float>(most + c) + FLT_EPSILON);
  if constexpr (std::is_integral_v<decltype(n)>)
    ct::store(x, std::numeric_limits<float>::infinity());
}
