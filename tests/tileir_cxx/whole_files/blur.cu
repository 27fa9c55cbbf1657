#include "helper.cuh"
#include <iostream>
using namespace util;
namespace ct = cuda::tiles;
__device__ int counter = 0;
__tile__ static const int table[4] = {1, 2, 4, 8};
constexpr float weights[] = {0.25f, 0.5f, 0.25f};
typedef unsigned int u32;
extern "C" __tile_global__ void blur(const float* in, float* out, const int n) {
  int b = ct::bid().x * 32;
  auto i = lane<32>() + b;
  auto acc = ct::zeros<ct::tile<float, ct::shape<32>>>();
#pragma unroll
  for (int d = -1; d <= 1; ++d) {
    auto j = i + d;
    acc = acc + ct::load_masked(in + j, (j >= 0) & (j < n), ct::zeros<ct::tile<float, ct::shape<32>>>()) * weights[d + 1];
  }
  ct::store_masked(out + i, acc, i < n);
}
__tile_global__ void lookup(u32* out, int which) { out[0] = table[clampi(which, 0, 3)]; out[1] = sizeof(u32); }
void run() {
  auto host = ramp(100);
  DeviceBuffer<float> in(100), out(100);
  blur<<<4, 1>>>(in.get(), out.get(), 100);
  std::cout << host[0] << '\n';
}
