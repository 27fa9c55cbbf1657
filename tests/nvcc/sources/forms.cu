// Every form of kernels, variables and launches that a program may have, in one file. Prints what is wrong.
// clang-format off: launches and declarations are broken into lines in every way.
#include "cuda_tile.h"
#include <cstdio>
#include <ctime>
#include <type_traits>
#include <vector>
#include <source_location>
namespace ct = cuda::tiles;
#include <cuda_pipeline.h>
#include "forms.cuh"
int failures;
#define EXPECT(x) do { if (!(x)) { std::printf("line %d: %s\n", __LINE__, #x); ++failures; } } while (0)
#define LAUNCH(k, ...) k<<<1, 1>>>(__VA_ARGS__)
#define KERNEL extern "C" __global__
__device__ int counter = 5;
__constant__ float table[4] = {1, 2, 3, 4};
static __constant__ int sizes[] = {1, 2, 3};
namespace { __device__ float hidden[2]; __device__ int2 pair; }
namespace a::b { __device__ double deep = 2.5; }
__device__ int x1 = 1, *x2, x3[3] = {1, 2, 3};
KERNEL void plain(int* p) { *p = 1; }
static __global__ void st(int* p) { *p = 2; }
namespace { __global__ void anon(int* p, int = 3) { *p = 3; } } namespace n { __global__ void named(int* named) { *named = 5; } }
namespace n::m { template <typename T, int N = 4> __global__ void tmpl(T* p, T v) { *p = v + N; } }
template <typename T> __global__ void over(T* p) { *p = 6; }
template <typename T> __global__ void over(T* p, T q) { *p = q; }
template <typename... Ts> __global__ void pack(int* const __restrict__ p, Ts... vs) { *p = (0 + ... + vs); }
template <typename F> __global__ void apply(int* p, F f) { *p = f(20); }
template <typename F> __global__ void stateless(int* p) { *p = F{}(1); }
template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>> __global__ void sfinae(T* p) { *p = 9; }
template <typename T> requires requires(T t) { t + 1; } __global__ void req(T* p) { *p = 10; }
__global__ void autos(auto* p, const auto v) { *p = v; }
template <template <typename> class C, bool> __global__ void tt(C<int> c) { *c.p = 12; }
template <typename T> struct Box { T* p; };
__global__ void __launch_bounds__(128, 2) bounds(int* p, const int unused[4], void (*)(int), int (*)[2]) { *p = 13; }
template <> __global__ void over<short>(short* p) { *p = 77; }
__global__ void where(int* p) {
#ifdef __CUDA_ARCH__
  *p = __CUDA_ARCH__;
#else
  *p = -1;
#endif
}
__host__ __device__ inline int half() {
#ifdef __CUDA_ARCH__
  return 1;
#else
  return 0;
#endif
}
__device__ int only_device(int v) { return v + threadIdx.x; }
__global__ void halves(int* p) { *p = half() + only_device(0) * 0; }
__global__ void vars(float* o) { o[0] = counter; o[1] = table[2]; o[2] = sizes[1]; o[3] = hidden[1]; o[4] = a::b::deep; counter++; o[5] = x3[2]; o[6] = x1; }
extern __shared__ float dyn[];
__global__ void shared(float* o) { __shared__ float s[4]; extern __shared__ int local[]; s[0] = 1; dyn[0] = 4; o[0] = s[0] + dyn[0]; o[1] = (void*)local == (void*)dyn; }
__global__ void turns(volatile int* p) { while (*p != 63 - threadIdx.x) {} *p = *p + 1; } __global__ void ticks(long* o) { const clock_t begin = clock(); const long long begin64 = clock64(); while (clock() - begin < 2000000) {} o[0] = clock64() - begin64; }
__tile_global__ void tile_one(int* p) { *p = 21; }
template <int N> __tile_global__ void tile_n(int* __restrict__ p) { ct::store(p + ct::iota<ct::tile<int, ct::shape<N>>>(), ct::full<ct::tile<int, ct::shape<N>>>(N)); }
struct Seven { static constexpr int n = 7; }; struct Nine { static constexpr int n = 9; };
template <typename T> __tile_global__ void my_tile_kernel(int* p, const T*) { *p = T::n; }
template <typename T> void wrapper(T* p) { auto go = [&](int b) { over<T><<<1, b>>>(p); }; go(1); if constexpr (sizeof(T) == 4) n::m::tmpl<T, 3><<<dim3(1), dim3(1, 1, 1), 0, nullptr>>>(p, T(1)); }
struct Holder { void (*fn[2])(int*); void go(int* p) { this->fn[1]<<<1, 1>>>(p); } };
typedef void (*Fn)(int*);
Fn pick(bool b) { return b ? plain : st; }
__global__ void spaces(int* p) {
  __shared__ int s; extern __shared__ int d[]; int own = 0;
  __builtin_assume(p != nullptr);
  __pipeline_memcpy_async(&s, p, 4, 2); __pipeline_commit(); __pipeline_wait_prior(0);
  const bool wrong = __isShared(p) || !__isGlobal(p) || __isShared(&own) || !__isLocal(&own) || __isLocal(&s);
  *p = __isShared(&s) + 2 * __isShared(d + 1) + 4 * !__isShared(d + 2) + 8 * !wrong + 16 * __uni_sync(1, 7) + 32 * (s == 2);
}
__global__ void coordinates(int* p) { *p = gridDim.x * 100 + gridDim.y * 10 + blockDim.x; }
int main() {
  int* p; cudaMallocManaged((void**)&p, 64);
  float* f; cudaMallocManaged((void**)&f, 64);
  *p = 2 + (5 << 16); spaces<<<1, 1, 8>>>(p); EXPECT(*p == 63);
  plain<<<1, 1>>>(p); EXPECT(*p == 1);
  my_tile_kernel<<<1, 1>>>(p, (Seven*)nullptr); EXPECT(*p == 7);
  my_tile_kernel<<<1, 1>>>(p, (Nine*)nullptr); EXPECT(*p == 9);
  st<<<1, 1>>>(p); EXPECT(*p == 2);
  anon<<<1, 1>>>(p); EXPECT(*p == 3); *p = 0; turns<<<1, 64>>>(p); EXPECT(*p == 64); n::named<<<1, 1>>>(p); EXPECT(*p == 5);
  n::m::tmpl<<<1, 1>>>(p, 1); EXPECT(*p == 5);
  n::m::tmpl<int, (3 > 2)><<<1, 1>>>(p, 1); EXPECT(*p == 2);
  over<<<1, 1>>>(p); EXPECT(*p == 6);
  over<<<1, 1>>>(p, 8); EXPECT(*p == 8);
  over<int>
      <<<1,
         1>>>(p,
              9);
  EXPECT(*p == 9); EXPECT(__LINE__ == 91);
  pack<<<1, 1>>>(p); EXPECT(*p == 0);
  pack<<<1, 1>>>(p, 1, 2.0, 3L); EXPECT(*p == 6);
  apply<<<1, 1>>>(p, [] __device__ (int v) { return v + 1; }); EXPECT(*p == 21);
  apply<<<1, 1>>>(p, [=] __host__ __device__ (int v) { return v + 2; }); EXPECT(*p == 22);
  auto plus1 = [] __device__ (int v) { return v + 1; }; auto plus2 = [] __device__ (int v) { return v + 2; };
  apply<<<1, 1>>>(p, plus2); EXPECT(*p == 22); apply<<<1, 1>>>(p, plus1); EXPECT(*p == 21);
  stateless<decltype(plus2)><<<1, 1>>>(p); EXPECT(*p == 3); stateless<decltype(plus1)><<<1, 1>>>(p); EXPECT(*p == 2);
  sfinae<<<1, 1>>>(p); EXPECT(*p == 9);
  req<<<1, 1>>>(p); EXPECT(*p == 10);
  autos<<<1, 1>>>(p, 11); EXPECT(*p == 11);
  tt<Box, true><<<1, 1>>>(Box<int>{p}); EXPECT(*p == 12);
  int two[2]; bounds<<<1, 1>>>(p, nullptr, nullptr, &two); EXPECT(*p == 13);
  short* s; cudaMallocManaged((void**)&s, 2); over<<<1, 1>>>(s); EXPECT(*s == 77);
  where<<<1, 1>>>(p); EXPECT(*p == 900);
  halves<<<1, 1>>>(p); EXPECT(*p == 1 && half() == 0);
  LAUNCH(plain, p); EXPECT(*p == 1);
  Fn fns[] = {plain, st}; for (int i = 0; i < 2; ++i) { fns[i]<<<1, 1>>>(p); EXPECT(*p == i + 1); }
  Holder h{{plain, st}}; h.go(p); EXPECT(*p == 2); (&h)->fn[0]<<<1, 1>>>(p); EXPECT(*p == 1);
  pick(false)<<<1, 1>>>(p); EXPECT(*p == 2);
  (true ? plain : st)<<<1, 1>>>(p); EXPECT(*p == 1);
  if (*p == 1) (*fns[1])<<<1, 1>>>(p); EXPECT(*p == 2);
  wrapper(p); EXPECT(*p == 4); wrapper(s);
  coordinates<<<{2, 3}, {4}>>>(p); EXPECT(*p == 234); coordinates<<<1, {5, 2}>>>(p); EXPECT(*p == 115);
  vars<<<1, 1>>>(f); EXPECT(f[0] == 5 && f[1] == 3 && f[2] == 2 && f[3] == 0 && f[4] == 2.5 && f[5] == 3 && f[6] == 1);
  int c; cudaMemcpyFromSymbol(&c, counter, 4); EXPECT(c == 6);
  float nt[4] = {9, 9, 9, 9}; cudaMemcpyToSymbol(table, nt, sizeof nt); vars<<<1, 1>>>(f); EXPECT(f[1] == 9);
  float hv = 8; cudaMemcpyToSymbol(hidden, &hv, 4, 4); vars<<<1, 1>>>(f); EXPECT(f[3] == 8);
  shared<<<1, 1, 64>>>(f); EXPECT(f[0] == 5 && f[1] == 1);
  long* t; cudaMallocManaged((void**)&t, 8); ticks<<<1, 1>>>(t); EXPECT(*t >= 1990000 && *t < 2000000000);
  cudaFuncAttributes fa; cudaFuncGetAttributes(&fa, bounds); EXPECT(fa.maxThreadsPerBlock == 128);
  tile_one<<<1>>>(p); EXPECT(*p == 21);
  tile_n<8><<<1, 1>>>(p); EXPECT(p[7] == 8);
  from_header(p); EXPECT(*p == 31);
  for (int i : {1, 2}) [&] { st<<<1, 1>>>(p); }();
  std::vector<int> v; v.push_back(1 << 2 >> 1);
  std::printf("%d failures\n", failures);
  return failures;
}
