// Heat that spreads on a plate: a stencil of five points, two arrays that change places, and a picture (PGM).
//
//   stencil [FILE.pgm]
#include "common.h"

#include <cuda_tile.h>

#include <utility>

namespace ct = cuda::tiles;

constexpr int height = 60, width = 100, tile_height = 8, tile_width = 32, steps = 300;

__tile_global__ void spread(const float* in, float* out) {
  const auto block = ct::bid();
  auto y = static_cast<int>(block.y) * tile_height + ct::iota<ct::tile<int, ct::shape<tile_height, 1>>>();
  auto x = static_cast<int>(block.x) * tile_width + ct::iota<ct::tile<int, ct::shape<1, tile_width>>>();
  auto at = [&](auto row, auto column) { // what is beyond an edge is as warm as the edge
    auto inside_y = ct::min(ct::max(row, 0), height - 1);
    auto inside_x = ct::min(ct::max(column, 0), width - 1);
    return ct::load(in + (inside_y * width + inside_x));
  };
  auto middle = at(y, x);
  auto next = middle + 0.2f * (at(y - 1, x) + at(y + 1, x) + at(y, x - 1) + at(y, x + 1) - 4.0f * middle);
  ct::partition_view view{ct::tensor_span{out, ct::extents{height, width}},
                          ct::shape<tile_height, tile_width>{}};
  view.store_masked(next, block.y, block.x);
}

int main(int argc, char** argv) {
  std::vector<float> plate(height * width);
  for (int y = 20; y < 30; ++y)
    for (int x = 40; x < 60; ++x)
      plate[y * width + x] = 1;

  DeviceArray<float> first(plate), second(plate.size());
  float *from = first.get(), *to = second.get();
  const dim3 grid((width + tile_width - 1) / tile_width, (height + tile_height - 1) / tile_height);
  for (int step = 0; step < steps; ++step) {
    spread<<<grid, 1>>>(from, to);
    std::swap(from, to);
  }
  CHECK(cudaGetLastError());
  std::vector<float> found(plate.size());
  CHECK(cudaMemcpy(found.data(), from, found.size() * sizeof(float), cudaMemcpyDeviceToHost));

  std::vector<double> now(plate.begin(), plate.end()), next(now.size());
  for (int step = 0; step < steps; ++step) {
    auto at = [&](int y, int x) {
      return now[std::min(std::max(y, 0), height - 1) * width + std::min(std::max(x, 0), width - 1)];
    };
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        next[y * width + x] =
            at(y, x) + 0.2 * (at(y - 1, x) + at(y + 1, x) + at(y, x - 1) + at(y, x + 1) - 4 * at(y, x));
    std::swap(now, next);
  }
  if (argc > 1) {
    FILE* file = std::fopen(argv[1], "wb");
    if (!file)
      return EXIT_FAILURE;
    std::fprintf(file, "P5 %d %d 255\n", width, height);
    for (float value : found)
      std::fputc(static_cast<int>(std::min(255.f, 600 * value)), file);
    std::fclose(file);
  }
  return compare("stencil", found, now, 1e-5);
}
