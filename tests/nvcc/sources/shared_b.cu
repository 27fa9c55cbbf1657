// See shared_a.cu.
#include "shared_device.h"
__device__ int value = 1;
__constant__ float table[2] = {3, 4};
__device__ int twice(int x) { return 2 * x; }
__device__ int Counter::get() const { return v + 1; }
__host__ __device__ int half(int x) {
#ifdef __CUDA_ARCH__
  return x + 100;
#else
  return x + 200;
#endif
}
