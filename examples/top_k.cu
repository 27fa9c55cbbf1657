// The K greatest values of each row, in descending order, with their columns; the lowest column comes first
// where values are equal.
//
// One block takes one row of up to Width columns (at least K), so the grid is `rows`. It finds the maximum K
// times, and each time replaces it by minus infinity.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>

#include "cuda_tile.h"

namespace ct = cuda::tiles;
using namespace ct::literals;

template <typename T, int K, int Width = 1024>
[[cutile::hint(0, occupancy = 4)]]
__tile_global__ void top_k(const T* __restrict__ x, T* __restrict__ values, int* __restrict__ columns_of,
                           int rows, int columns) {
  using row_shape = ct::shape<1, Width>;
  ct::partition_view x_view{ct::tensor_span{x, ct::extents{rows, columns}}, row_shape{}};
  ct::partition_view value_view{ct::tensor_span{values, ct::extents{rows, K}}, ct::shape<1, 1>{}};
  ct::partition_view column_view{ct::tensor_span{columns_of, ct::extents{rows, K}}, ct::shape<1, 1>{}};

  auto row = ct::bid().x;
  auto rest = ct::element_cast<float>(x_view.load_masked(ct::view_padding_negative_inf_t{}, row, 0));
  auto column = ct::iota<ct::tile<int, row_shape>>();
  for (int place : ct::irange(0, K)) {
    auto most = ct::reduce_max(rest, 1_ic);
    auto found = ct::reduce_min(ct::select(rest == most, column, ct::full<decltype(column)>(Width)), 1_ic);
    value_view.store(ct::element_cast<T>(most), row, place);
    column_view.store(found, row, place);
    rest = ct::select(column == found, ct::full<decltype(rest)>(-INFINITY), rest);
  }
}
