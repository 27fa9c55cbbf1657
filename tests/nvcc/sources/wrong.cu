// Kernels with undefined behaviour, which a checked program reports.
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using one = ct::shape<1>;
template <int N>
__tile_global__ void unmasked(float* out, int n) {
  auto part = ct::partition_view{ct::tensor_span{out, ct::extents{n}}, ct::shape<N>{}};
  part.store(ct::full<ct::tile<float, ct::shape<N>>>(1.f), ct::bid().x);
}
__tile_global__ void race(int* out) {
  ct::store(out + ct::zeros<ct::tile<int, one>>(), ct::ones<ct::tile<int, one>>());
}
__tile_global__ void beyond(int* out) {
  auto place = ct::iota<ct::tile<int, ct::shape<8>>>();
  ct::store(out + place, place);
}
__global__ void by_thread(int* out) { out[3 + threadIdx.x] = 1; }
int main(int, char** words) {
  float* out;
  cudaMalloc(&out, 100 * sizeof(float));
  int* small;
  cudaMalloc(&small, 3 * sizeof(int));
  if (words[1][0] == 'u')
    unmasked<64><<<2, 1>>>(out, 100);
  if (words[1][0] == 'r')
    race<<<2, 1>>>(small);
  if (words[1][0] == 'b')
    beyond<<<1>>>(small);
  if (words[1][0] == 'f') {
    cudaFree(small);
    beyond<<<1>>>(small);
  }
  if (words[1][0] == 't')
    by_thread<<<1, 4>>>(small);
  return cudaDeviceSynchronize();
}
