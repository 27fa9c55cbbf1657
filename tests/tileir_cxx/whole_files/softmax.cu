// PyTorch-like extension with host-only blocks under #if, and lines with odd macros
#include <cuda_tile.h>
#if !defined(__CUDA_ARCH__) && defined(HAVE_TORCH)
#include <torch/extension.h>
#endif
#ifdef __CUDACC__
#define HD __host__ __device__
#else
#define HD
#endif
#define DIV_UP(a, b) (((a) + (b) - 1) / (b))
#define TILE_FN __tile__ __forceinline__
#define RESTRICT __restrict__
namespace ct = cuda::tiles;
HD constexpr int next_pow2(int n) { int p = 1; while (p < n) p <<= 1; return p; }
TILE_FN float gelu(float x) { return 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x))); }
template <int COLS>
__tile_global__ void softmax_rows(const float* RESTRICT x, float* RESTRICT y, int cols) {
  using namespace ct::literals;
  constexpr int P = next_pow2(COLS);
  auto i = ct::iota<ct::tile<int, ct::shape<P>>>();
  int row = ct::bid().x;
  auto v = ct::load_masked(x + (i + row * cols), i < cols, ct::full<ct::tile<float, ct::shape<P>>>(-1e30f));
  auto e = ct::exp(v - ct::reduce_max(v, 0_ic));
  ct::store_masked(y + (i + row * cols), e / ct::sum(e, 0_ic), i < cols);
}
__tile_global__ void gelu_scalar(float* x, int n) { for (int i = ct::bid().x; i < n; i += ct::num_blocks().x) x[i] = gelu(x[i]); }
int launch(float* x, float* y, int r, int c) { softmax_rows<100><<<dim3(DIV_UP(r, 1)), dim3(1)>>>(x, y, c); return 0; }
#ifdef HAVE_TORCH
torch::Tensor forward(torch::Tensor x) { auto y = torch::empty_like(x); return y; }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward); }
#endif
