// Rows by index: out[i, :] = table[index[i], :], with `table` of any number of rows, and `out` of rows x
// columns floats.
//
// One block copies a tile of 16 x 64 elements, so the grid is (ceil(columns / 64), ceil(rows / 16)). The rows
// lie anywhere in the table, so the block loads through a tile of pointers, one for each element.
#include "cuda_tile.h"

namespace ct = cuda::tiles;

constexpr int tile_rows = 16;
constexpr int tile_columns = 64;

__tile_global__ void gather(const float* __restrict__ table, const int* __restrict__ index,
                            float* __restrict__ out, int rows, int columns) {
  using tile_shape = ct::shape<tile_rows, tile_columns>;
  ct::partition_view index_view{ct::tensor_span{index, ct::extents{rows}}, ct::shape<tile_rows>{}};
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{rows, columns}}, tile_shape{}};

  auto block = ct::bid();
  auto index_column = ct::reshape(index_view.load_masked(block.y), ct::shape<tile_rows, 1>{});
  auto column =
      static_cast<int>(block.x) * tile_columns + ct::iota<ct::tile<int, ct::shape<1, tile_columns>>>();

  // The offset of an element in the table may need more than 32 bits. Rows past the last are padded with
  // index 0.
  auto offset = ct::element_cast<long long>(index_column) * columns + ct::min(column, columns - 1);
  out_view.store_masked(ct::load(table + offset), block.y, block.x);
}
