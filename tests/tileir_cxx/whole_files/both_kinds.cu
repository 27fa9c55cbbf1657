// SIMT and tile kernels in one file, reference on the CPU
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include "cuda_tile.h"
#include <cassert>
#include <cmath>
#include <random>
#include <algorithm>
#include <numeric>
namespace ct = cuda::tiles;
__constant__ float coefficients[4];
__device__ float3 rotate(float3 v, float a) { return make_float3(v.x * cosf(a), v.y * sinf(a), v.z); }
template <int BLOCK> __global__ void simt_reduce(const float* in, float* out, int n) {
  extern __shared__ float cache[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  cache[t] = i < n ? in[i] : 0.f;
  __syncthreads();
  for (int s = BLOCK / 2; s > 0; s >>= 1) {
    if (t < s) cache[t] += cache[t + s];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, cache[0]);
}
__device__ __forceinline__ float warp_sum(float v) {
  for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
  return v;
}
__tile_global__ void tile_reduce(const float* in, float* out, int n) {
  using namespace ct::literals;
  auto i = ct::iota<ct::tile<int, ct::shape<256>>>() + static_cast<int>(ct::bid().x * 256);
  auto x = ct::load_masked(in + i, i < n, ct::zeros<ct::tile<float, ct::shape<256>>>());
  ct::atomic_add(out, float(ct::sum(x, 0_ic)), ct::memory_order_relaxed_t{}, ct::thread_scope_device_t{});
}
__tile_global__ void halves(const __half* in, half* out, int n) {
  auto i = ct::iota<ct::tile<int, ct::shape<256>>>() + static_cast<int>(ct::bid().x * 256);
  auto x = ct::element_cast<float>(ct::load_masked(in + i, i < n));
  ct::store_masked(out + i, ct::element_cast<__half>(x * 2.0f), i < n);
}
static float reference(const float* in, int n) { return std::accumulate(in, in + n, 0.f); }
float random_value() {
  static std::mt19937 gen(42);
  static std::uniform_real_distribution<float> d(0.f, 1.f);
  return d(gen);
}
int main() {
  float *in, *out; const int n = 1000;
  cudaMallocManaged(&in, n * 4); cudaMallocManaged(&out, 4);
  std::generate(in, in + n, random_value);
  dim3 grid((n + 255) / 256), block(256);
  simt_reduce<256><<<grid, block, 256 * sizeof(float)>>>(in, out, n);
  tile_reduce<<<grid, 1>>>(in, out, n);
  cudaDeviceSynchronize();
  assert(std::fabs(*out - 2 * reference(in, n)) < 1e-3f);
  try { if (*out < 0) throw std::runtime_error("negative"); } catch (const std::exception& e) { printf("%s\n", e.what()); return 1; }
  return 0;
}
