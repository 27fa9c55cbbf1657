// Kernels as templates and overloads, and the building blocks of tile code: helpers, lambdas, structs and
// arrays of tiles, constants. test_kernels.py requests them by name expression and checks their results.
#include <cuda_fp16.h>

#include "cuda_tile.h"

namespace ct = cuda::tiles;
using namespace ct::literals;

constexpr int width = 4;
constexpr float weights[3] = {0.25f, 0.5f, 0.25f};
__tile__ constexpr int table[2] = {10, 20};
#if defined(__CUDACC_TILE__) // which takes no global variable of devices in tile code
constexpr int variable = 100;
#else
__device__ int variable = 100;
#endif
using row = ct::shape<width>;

template <typename Tile>
using offsets_of = ct::tile<int, ct::tile_shape_t<Tile>>;

template <typename T>
__tile__ auto row_of(T* x) {
  return x + ct::iota<ct::tile<int, row>>();
}

// Parameters of each kind

enum class activation { none, relu, negate };
enum color : unsigned char { red, green };

template <typename T, int N, bool Twice, float Scale, activation F>
__tile_global__ void parameters(T* y) {
  auto x = ct::element_cast<float>(ct::iota<ct::tile<int, ct::shape<N>>>() - N / 2) * Scale;
  if constexpr (Twice)
    x = x + x;
  if constexpr (F == activation::relu)
    x = ct::max(x, 0.0f);
  else if constexpr (F == activation::negate)
    x = -x;
  ct::store(y + ct::iota<ct::tile<int, ct::shape<N>>>(), ct::element_cast<T>(x));
}

template <color C, char Letter, long long Big, unsigned Last = 3>
__tile_global__ void other_values(long long* y) {
  y[0] = C;
  y[1] = Letter;
  y[2] = Big;
  y[3] = Last;
}

template <template <typename> class Operation, typename... T>
__tile_global__ void packs(float* y, T... x) {
  y[0] = Operation<float>::apply(static_cast<float>(x)...);
  y[1] = sizeof...(T);
}
template <typename T>
struct add_all {
  template <typename... X>
  static __tile__ T apply(X... x) {
    return (x + ...);
  }
};

// Overloads, namespaces, extern "C"

__tile_global__ void overloaded(float* y) { y[0] = 1.0f; }
__tile_global__ void overloaded(int* y) { y[0] = 2; }

namespace a::b {
__tile_global__ void inner(int* y) { y[0] = 3; }
template <typename T>
__tile_global__ void inner_template(T* y) {
  y[0] = T(4);
}
struct tag {
  static constexpr int value = 5;
};
} // namespace a::b
template <typename Tag>
__tile_global__ void tagged(int* y) {
  y[0] = Tag::value;
}
extern "C" __tile_global__ void plain(int* y) { y[0] = 6; }
extern "C" {
__tile_global__ void plain_too(int* y) { y[0] = 7; }
}
namespace {
[[maybe_unused]] __tile__ int unnamed() { return 8; }
} // namespace

// Constants of the file

__tile_global__ void constants(float* y, int* z) {
  auto x = ct::element_cast<float>(ct::iota<ct::tile<int, row>>());
  auto sum = ct::zeros<decltype(x)>();
  for (int i = 0; i < 3; ++i)
    sum = sum + weights[i] * x;
  ct::store(row_of(y), sum);
  z[0] = table[0] + table[1] + variable + unnamed();
}

// Structs of tiles with member functions; helpers that take and return them

struct moments {
  ct::tile<float, ct::shape<1>> count, sum, squares;

  template <typename Tile>
  __tile__ void take(Tile x) {
    count = count + static_cast<float>(ct::tile_shape_t<Tile>::static_extent(0));
    sum = sum + ct::sum<0>(x);
    squares = squares + ct::sum<0>(x * x);
  }
  __tile__ auto mean() const { return sum / count; }
};
__tile__ inline moments nothing_yet() {
  auto zero = ct::zeros<ct::tile<float, ct::shape<1>>>();
  return {zero, zero, zero};
}
__tile__ inline moments joined(moments a, const moments& b) {
  return {a.count + b.count, a.sum + b.sum, a.squares + b.squares};
}
__tile_global__ void structs(float* x, float* y) {
  moments first = nothing_yet(), second = nothing_yet();
  first.take(ct::load(row_of(x)));
  second.take(ct::load(row_of(x + width)));
  moments both = joined(first, second);
  auto at = ct::iota<ct::tile<int, ct::shape<1>>>();
  ct::store(y + at, both.mean());
  ct::store(y + 1 + at, both.squares);
}

// Lambdas: generic ones, with captures, passed on

template <typename F, typename Tile>
__tile__ Tile apply_twice(F f, Tile x) {
  return f(f(x));
}
__tile_global__ void lambdas(float* x, float* y, float bias) {
  auto scale = ct::full<ct::tile<float, row>>(2.0f);
  auto affine = [=](auto v) { return v * scale + bias; };
  auto store = [&](auto value) { ct::store(row_of(y), value); };
  store(apply_twice(affine, ct::load(row_of(x))));
}

// Arrays of tiles, and tiles that a loop carries

__tile_global__ void arrays(float* x, float* y, int n) {
  ct::tile<float, row> parts[2];
  for (int i = 0; i < 2; ++i)
    parts[i] = ct::load(row_of(x + i * width));
  for (int i : ct::irange(0, n)) {
    auto kept = parts[0];
    parts[0] = parts[1] + static_cast<float>(i);
    parts[1] = kept;
  }
  ct::store(row_of(y), parts[0]);
  ct::store(row_of(y + width), parts[1]);
}
