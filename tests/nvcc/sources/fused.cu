// Kernels of which some can be fused: prints their results, with all bits.
#include <cuda_fp16.h>
#include <cuda_tile.h>

#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

namespace ct = cuda::tiles;
using namespace ct::literals;

static __constant__ float factor = 2.0f;
constexpr float quarter = 0.25f;

template <int size, typename T>
__tile__ auto part(T* x, int n) {
  return ct::partition_view{ct::tensor_span{x, ct::extents{n}}, ct::shape<size>{}};
}

__tile_global__ void softmax(const float* in, float* out, int n) {
  auto x = part<256>(in, n).load_masked(ct::view_padding_negative_inf_t{}, 0);
  auto powers = ct::exp(x - ct::reduce_max(x, 0_ic));
  part<256>(out, n).store_masked(powers / ct::sum(powers, 0_ic), 0);
}

enum class scale { none, half };

namespace {
template <typename T, float offset, scale by, bool negative>
__tile_global__ void shifted(const T* in, T* out, int n) {
  auto x = ct::element_cast<float>(part<128>(in, n).load_masked(ct::bid().x)) + offset;
  auto y = by == scale::half ? x * 0.5f + quarter : x;
  auto z = ct::sqrt(y * y + (negative ? -y : y));
  part<128>(out, n).store_masked(ct::element_cast<T>(z), ct::bid().x);
}
} // namespace

__tile_global__ void overloaded(const float* in, float* out, int n) {
  auto x = part<64>(in, n).load_masked(ct::bid().x);
  part<64>(out, n).store_masked(x * x + 1.0f, ct::bid().x);
}
__tile_global__ void overloaded(const float* in, const float* other, float* out, int n) {
  auto x = part<64>(in, n).load_masked(ct::bid().x);
  part<64>(out, n).store_masked(x * part<64>(other, n).load_masked(ct::bid().x) + 1.0f, ct::bid().x);
}

__tile_global__ void of_variables(const float* in, float* out, int n) {
  auto x = part<64>(in, n).load_masked(ct::bid().x);
  part<64>(out, n).store_masked(x * factor + x, ct::bid().x);
}

template <typename F>
__tile_global__ void apply(const float* in, float* out, int n, F* f) {
  auto x = part<64>(in, n).load_masked(ct::bid().x);
  part<64>(out, n).store_masked((*f)(x * x) + x, ct::bid().x);
}

__global__ void of_threads(float* out) { out[threadIdx.x] *= 2.0f; }

static void print(const char* name, const float* x, int n) {
  unsigned hash = 0;
  for (int i = 0; i < n; ++i)
    hash = hash * 31u + __builtin_bit_cast(unsigned, x[i]);
  std::printf("%s %08x %.9g\n", name, hash, x[n - 1]);
}

int main() {
  const int n = 201;
  float *in, *out;
  cudaMallocManaged((void**)&in, 4 * n);
  cudaMallocManaged((void**)&out, 4 * (n + 1));
  for (int i = 0; i < n; ++i)
    in[i] = out[i] = float(i % 17) / 3 + 0.1f;
  softmax<<<1, 1>>>(in, out, n);
  of_threads<<<1, 64>>>(out);
  print("softmax", out, n);
  softmax<<<1, 1>>>(out, out + 1, n); // arrays that overlap
  print("overlapping", out + 1, n);
  shifted<float, 1.5f, scale::half, true><<<2, 1>>>(in, out, n);
  print("shifted", out, n);
  std::vector<__half> halves(n);
  for (int i = 0; i < n; ++i)
    halves[i] = __float2half(in[i]);
  __half *low, *low_out;
  cudaMalloc((void**)&low, 2 * n);
  cudaMallocManaged((void**)&low_out, 2 * n);
  cudaMemcpy(low, halves.data(), 2 * n, cudaMemcpyHostToDevice);
  shifted<__half, 0.0f, scale::none, false><<<2, 1>>>(low, low_out, n);
  std::printf("halves %g\n", __half2float(low_out[n - 1]));
  overloaded<<<4, 1>>>(in, out, n);
  print("overloaded", out, n);
  overloaded<<<4, 1>>>(in, in, out, n);
  print("overloaded", out, n);
  const float three = 3.0f;
  cudaMemcpyToSymbol(factor, &three, 4);
  of_variables<<<4, 1>>>(in, out, n);
  print("variables", out, n);
  auto twice = [] __tile__(auto x) { return x + x; };
  apply<<<4, 1>>>(in, out, n, &twice);
  print("lambda", out, n);
  return cudaDeviceSynchronize() != cudaSuccess;
}
