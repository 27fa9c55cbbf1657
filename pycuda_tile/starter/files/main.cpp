// Runs the kernel without Python: see CMakeLists.txt.
#include "scale.cu"

#include "cuda_tile/launch.h"

#include <cstdio>
#include <vector>

int main() {
  std::vector<float> x(5000, 3), out(x.size());
  int n = static_cast<int>(x.size());
  cuda_tile::launch(scale, (n + 1023) / 1024, x.data(), out.data(), 0.5f, n);
  for (float value : out)
    if (value != 1.5f) {
      std::printf("wrong: %g\n", value);
      return 1;
    }
  std::printf("%d elements are right\n", n);
}
