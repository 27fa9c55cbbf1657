// Steps of a Markov chain: a matrix squared again and again, with launches in a recursive host template and
// the kernel chosen by `if constexpr`.
#include "common.h"

#include <cuda_tile.h>

#include <type_traits>

namespace ct = cuda::tiles;

namespace chain {

constexpr int states = 16;
using Shape = ct::shape<states, states>;

template <typename T>
static __tile_global__ void square(const T* in, T* out) {
  ct::partition_view from{ct::tensor_span{in, ct::extents{states, states}}, Shape{}};
  ct::partition_view to{ct::tensor_span{out, ct::extents{states, states}}, Shape{}};
  auto x = from.load(0, 0);
  to.store(ct::mma(x, x, ct::zeros<ct::tile<T, Shape>>()), 0, 0);
}

static __tile_global__ void copy(const float* in, float* out) {
  auto index = ct::iota<ct::tile<int, ct::shape<states * states>>>();
  ct::store(out + index, ct::load(in + index));
}

/// out = in to the power of 2^Steps.
template <int Steps, typename T>
void power(const T* in, T* out) {
  if constexpr (Steps == 0) {
    copy<<<1, 1>>>(in, out);
  } else {
    DeviceArray<T> half(states * states);
    power<Steps - 1>(in, half.get());
    square<T><<<1, 1>>>(half.get(), out);
    CHECK(cudaDeviceSynchronize());
  }
}

} // namespace chain

int main() {
  using chain::states;
  std::vector<float> matrix(states * states); // a walk on a circle
  for (int i = 0; i < states; ++i) {
    matrix[i * states + i] = 0.5f;
    matrix[i * states + (i + 1) % states] = 0.25f;
    matrix[i * states + (i + states - 1) % states] = 0.25f;
  }
  DeviceArray<float> in(matrix), out(matrix.size());
  chain::power<10>(in.get(), out.get());
  CHECK(cudaGetLastError());
  // After a long time every state is as likely as any other.
  return compare("chain", out.to_host(), std::vector<double>(matrix.size(), 1.0 / states), 1e-4);
}
