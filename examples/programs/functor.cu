// A functor in device memory that a generic kernel gets as a pointer, as libraries over many devices do.
#include "common.h"

#include <cuda_tile.h>

namespace ct = cuda::tiles;

constexpr int tile_size = 128;

/// Calls (*functor)(indices) for the indices from 0 to below `count`, a tile of them in each block.
template <typename Functor>
__tile_global__ void for_each(const Functor* functor, int count) {
  auto index = static_cast<int>(ct::bid().x) * tile_size + ct::iota<ct::tile<int, ct::shape<tile_size>>>();
  (*functor)(index, index < count);
}

/// y = a x + y
struct Axpy {
  float a;
  const float* x;
  float* y;

  template <typename Index, typename Mask>
  __tile__ void operator()(const Index& index, const Mask& mask) const {
    auto in_range = ct::select(mask, index, ct::zeros<Index>());
    auto sum = a * ct::load_masked(x + in_range, mask) + ct::load_masked(y + in_range, mask);
    ct::store_masked(y + in_range, sum, mask);
  }
};

template <typename Functor>
void parallel_for(int count, const Functor& functor) {
  Functor* on_device = nullptr;
  CHECK(cudaMalloc(&on_device, sizeof(Functor)));
  CHECK(cudaMemcpy(on_device, &functor, sizeof(Functor), cudaMemcpyHostToDevice));
  for_each<<<(count + tile_size - 1) / tile_size, 1>>>(on_device, count);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(on_device));
}

int main() {
  const int n = 1000;
  const auto x = random_floats(n), y = random_floats(n, -1, 1, 2);
  DeviceArray<float> d_x(x), d_y(y);
  parallel_for(n, Axpy{2.5f, d_x.get(), d_y.get()});
  std::vector<double> expected(n);
  for (int i = 0; i < n; ++i)
    expected[i] = 2.5 * x[i] + y[i];
  return compare("a x + y", d_y.to_host(), expected, 1e-6);
}
