// Runs the kernel on this machine's CPU.
#include "axpy.h"

#include "cuda_tile/launch.h"

#include <cstdio>
#include <vector>

int main() {
  int const n = 1000;
  // (1 + 2^-12)^2 rounds to 1 + 2^-11, so that the result is 0; a fused multiply-add would give 2^-24.
  float const a = 1 + 0x1p-12f;
  std::vector<float> x(n, a), y(n, -1 - 0x1p-11f), out(n, -1);
  cuda_tile::launch(axpy, (n + elements - 1) / elements, a, x.data(), y.data(), out.data(), n);
  for (float value : out)
    if (value != 0) {
      std::printf("wrong: %g\n", value);
      return 1;
    }
  std::printf("%d elements are right\n", n);
}
