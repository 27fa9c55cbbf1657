// Solves the Poisson equation on a square grid by the method of conjugate gradients, with kernels of both
// kinds side by side: the stencil of the matrix is written for threads, updates and dot products for tiles.

#include "common.h"

#include <cuda_tile.h>

namespace ct = cuda::tiles;
using namespace ct::literals;

constexpr int tile_size = 1024;

/// out = A in, where A has 4 on the diagonal and -1 for each neighbour.
__global__ void apply(const double* in, double* out, int side) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= side || y >= side)
    return;
  double sum = 4 * in[y * side + x];
  if (x > 0)
    sum -= in[y * side + x - 1];
  if (x + 1 < side)
    sum -= in[y * side + x + 1];
  if (y > 0)
    sum -= in[(y - 1) * side + x];
  if (y + 1 < side)
    sum -= in[(y + 1) * side + x];
  out[y * side + x] = sum;
}

/// sums[b]: the sum of a * b over tile b
__tile_global__ void dot(const double* __restrict__ a, const double* __restrict__ b,
                         double* __restrict__ sums, int n) {
  using shape = ct::shape<tile_size>;
  ct::partition_view a_view{ct::tensor_span{a, ct::extents{n}}, shape{}};
  ct::partition_view b_view{ct::tensor_span{b, ct::extents{n}}, shape{}};
  ct::partition_view sums_view{ct::tensor_span{sums, ct::extents{(n + tile_size - 1) / tile_size}},
                               ct::shape<1>{}};
  auto block = ct::bid().x;
  sums_view.store(ct::sum(a_view.load_masked(block) * b_view.load_masked(block), 0_ic), block);
}

/// y = a x + b y
__tile_global__ void combine(double a, const double* __restrict__ x, double b, double* __restrict__ y,
                             int n) {
  using shape = ct::shape<tile_size>;
  ct::partition_view x_view{ct::tensor_span{x, ct::extents{n}}, shape{}};
  ct::partition_view y_view{ct::tensor_span{y, ct::extents{n}}, shape{}};
  auto block = ct::bid().x;
  y_view.store_masked(a * x_view.load_masked(block) + b * y_view.load_masked(block), block);
}

/// Adds `count` sums, by one block.
__global__ void add_up(double* sums, int count) {
  __shared__ double of_warp[32];
  double sum = 0;
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    sum += sums[i];
  for (int width = 16; width > 0; width /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, width);
  if (threadIdx.x % 32 == 0)
    of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned warp = 1; warp < blockDim.x / 32; ++warp)
      sum += of_warp[warp];
    sums[0] = sum;
  }
}

struct Solver {
  explicit Solver(int of_side)
      : side(of_side), n(of_side * of_side), blocks((n + tile_size - 1) / tile_size) {
    CHECK(cudaMalloc(&sums, blocks * sizeof(double)));
  }
  ~Solver() { cudaFree(sums); }

  void multiply(const double* in, double* out) const {
    const dim3 threads(16, 8), grid((side + 15) / 16, (side + 7) / 8);
    apply<<<grid, threads>>>(in, out, side);
  }
  double product(const double* a, const double* b) const {
    dot<<<blocks, 1>>>(a, b, sums, n);
    add_up<<<1, 128>>>(sums, blocks);
    double result;
    CHECK(cudaMemcpy(&result, sums, sizeof result, cudaMemcpyDeviceToHost));
    return result;
  }
  void update(double a, const double* x, double b, double* y) const { combine<<<blocks, 1>>>(a, x, b, y, n); }

  int side, n, blocks;
  double* sums;
};

int main() {
  const Solver solver(61);
  const int n = solver.n;
  const size_t bytes = n * sizeof(double);
  std::vector<double> exact(n), right(n), got(n);
  for (int i = 0; i < n; ++i)
    exact[i] = std::sin(0.1 * (i % solver.side)) + 0.01 * (i / solver.side);

  double *x, *r, *p, *ap;
  for (double** each : {&x, &r, &p, &ap})
    CHECK(cudaMalloc(each, bytes));
  CHECK(cudaMemcpy(p, exact.data(), bytes, cudaMemcpyHostToDevice));
  solver.multiply(p, r); // the right-hand side, and the residual of x = 0
  CHECK(cudaMemset(x, 0, bytes));
  CHECK(cudaMemcpy(p, r, bytes, cudaMemcpyDeviceToDevice));

  double square = solver.product(r, r);
  const double first = square;
  int steps = 0;
  for (; steps < 1000 && square > 1e-24 * first; ++steps) {
    solver.multiply(p, ap);
    const double alpha = square / solver.product(p, ap);
    solver.update(alpha, p, 1, x);
    solver.update(-alpha, ap, 1, r);
    const double next = solver.product(r, r);
    solver.update(1, r, next / square, p);
    square = next;
  }
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(got.data(), x, bytes, cudaMemcpyDeviceToHost));

  double worst = 0;
  for (int i = 0; i < n; ++i)
    worst = std::fmax(worst, std::fabs(got[i] - exact[i]));
  for (double* each : {x, r, p, ap})
    CHECK(cudaFree(each));
  if (!(worst < 1e-9) || steps >= 1000) {
    printf("FAIL: off by %g after %d steps\n", worst, steps);
    return EXIT_FAILURE;
  }
  printf("%d steps\nPASS\n", steps);
}
