// Variables that both halves use in place, and objects of the host that must be constructed once.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
struct Pair {
  int a, b;
};
__managed__ int number = 3, array[4] = {1, 2, 3, 4};
static __managed__ Pair pair{5, 6};
namespace {
__managed__ double hidden = 1.5;
}
__device__ __managed__ float both;
struct Loud {
  Loud() { std::printf("once "); }
} loud;
std::string text = "destroyed when the program ends";
int computed = std::atoi("42");
__global__ void change() {
  number += array[3];
  pair.a = pair.b;
  hidden *= 2;
  both = 7;
}
int main() {
  array[3] = 10;
  change<<<1, 1>>>();
  cudaDeviceSynchronize();
  std::printf("%d %d %g %g %d\n", number, pair.a, hidden, both, computed);
}
