// class hierarchies by CRTP, operators, friend, static members, constexpr maths, recursion by template
#include <cuda_tile.h>
#include <cstddef>
#include <limits>
#include <concepts>
namespace ct = cuda::tiles;
template <class D> struct Op { __tile__ auto operator()(auto a, auto b) const { return static_cast<const D*>(this)->call(a, b); } };
struct Add : Op<Add> { static constexpr float identity = 0; __tile__ auto call(auto a, auto b) const { return a + b; } };
struct Max : Op<Max> { static constexpr float identity = -std::numeric_limits<float>::infinity(); __tile__ auto call(auto a, auto b) const { return ct::max(a, b); } };
template <int N, class O, std::integral I> __tile__ float fold(const float* p, I n, O op) {
  auto i = ct::iota<ct::tile<int, ct::shape<N>>>();
  auto acc = ct::full<ct::tile<float, ct::shape<N>>>(O::identity);
  for (I b = 0; b < n; b += N)
    acc = op(acc, ct::load_masked(p + (i + static_cast<int>(b)), i + static_cast<int>(b) < static_cast<int>(n), ct::full<ct::tile<float, ct::shape<N>>>(O::identity)));
  using namespace ct::literals;
  if constexpr (std::same_as<O, Max>) return ct::reshape(ct::reduce_max(acc, 0_ic), ct::shape<>{});
  else return ct::reshape(ct::sum(acc, 0_ic), ct::shape<>{});
}
struct Complex {
  float re, im;
  __tile__ constexpr Complex(float r = 0, float i = 0) : re(r), im(i) {}
  __tile__ friend Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
  __tile__ Complex& operator+=(const Complex& o) { re += o.re; im += o.im; return *this; }
};
template <int N> __tile__ Complex power(Complex c) { if constexpr (N == 0) return {1, 0}; else return c * power<N - 1>(c); }
__tile_global__ void folds(const float* p, float* out, size_t n) { out[0] = fold<32>(p, n, Add{}); out[1] = fold<32>(p, n, Max{}); }
__tile_global__ void powers(float* out) { Complex c(0.5f, 1.0f); c += power<5>(c); out[0] = c.re; out[1] = c.im; }
int main(int, char*[]) { return 0; }
