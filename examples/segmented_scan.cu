// Running sums that start again at each segment: out[i] = x[i] + out[i - 1], but out[i] = x[i] where `starts`
// is set. Each row of the matrices is scanned separately.
//
// One block scans one row of any length, so the grid is `rows`. It walks over the row in pieces of Width, and
// carries the last sum of a piece into the next one's first segment.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cuda_tile.h"

namespace ct = cuda::tiles;
using namespace ct::literals;

template <typename T, int Width = 64>
[[cutile::hint(0, occupancy = 4)]]
__tile_global__ void segmented_scan(const T* __restrict__ x, const bool* __restrict__ starts,
                                    T* __restrict__ out, int rows, int columns) {
  using piece_shape = ct::shape<1, Width>;
  ct::extents size{rows, columns};
  ct::partition_view x_view{ct::tensor_span{x, size}, piece_shape{}};
  ct::partition_view starts_view{ct::tensor_span{starts, size}, piece_shape{}};
  ct::partition_view out_view{ct::tensor_span{out, size}, piece_shape{}};

  auto row = ct::bid().x;
  auto index = ct::iota<ct::tile<int, piece_shape>>();
  auto carry = ct::zeros<ct::tile<float, ct::shape<1, 1>>>();
  for (int piece : ct::irange(0, ct::ceildiv(columns, Width))) {
    auto value = ct::element_cast<float>(x_view.load_masked(row, piece));
    auto segment = ct::partial_sum(ct::element_cast<int>(starts_view.load_masked(row, piece)), 1_ic);

    // The sum at i includes every j up to i in i's segment: a Width x Width matrix, with j along its rows.
    auto before = index <= ct::transpose(index);
    auto together = before && segment == ct::transpose(segment);
    auto taken = ct::select(together, ct::broadcast(value, ct::shape<Width, Width>{}),
                            ct::zeros<ct::tile<float, ct::shape<Width, Width>>>());
    auto sums = ct::transpose(ct::sum(taken, 1_ic));
    sums = sums + ct::select(segment == 0, ct::broadcast(carry, piece_shape{}), ct::zeros<decltype(sums)>());

    carry = ct::sum(ct::select(index == Width - 1, sums, ct::zeros<decltype(sums)>()), 1_ic);
    out_view.store_masked(ct::element_cast<T>(sums), row, piece);
  }
}
