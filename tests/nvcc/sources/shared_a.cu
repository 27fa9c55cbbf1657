// Device code of two files: variables, functions, a member, and a function that differs between the halves.
#include "shared_device.h"
#include <cstdio>
#include <iostream>
extern __device__ int value;
extern __constant__ float table[2];
__device__ int twice(int);
__host__ __device__ int half(int);
__global__ void use(int* p, Counter c) {
  p[0] = twice(value);
  p[1] = c.get();
  p[2] = half(1);
  p[3] = static_cast<int>(table[1]);
}
int main() {
  int *p, set = 7;
  cudaMallocManaged(&p, 16);
  cudaMemcpyToSymbol(value, &set, sizeof set);
  use<<<1, 1>>>(p, Counter{5});
  cudaDeviceSynchronize();
  std::printf("%d %d %d %d %d\n", p[0], p[1], p[2], p[3], half(1));
}
