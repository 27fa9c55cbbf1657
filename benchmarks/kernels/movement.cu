// Work that moves: transposition, rows by index, and a histogram.
#include "cuda_tile.h"

namespace ct = cuda::tiles;
using namespace ct::literals;

/// out[j, i] = in[i, j]. Grid: (ceil(columns / tile), ceil(rows / tile)).
template <int tile>
__tile_global__ void transpose(const float* __restrict__ in, float* __restrict__ out, int rows, int columns) {
  ct::partition_view in_view{ct::tensor_span{in, ct::extents{rows, columns}}, ct::shape<tile, tile>{}};
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{columns, rows}}, ct::shape<tile, tile>{}};
  auto block = ct::bid();
  out_view.store_masked(ct::transpose(in_view.load_masked(block.y, block.x)), block.x, block.y);
}

/// out[i, :] = table[index[i], :], rows of at most `width` floats. Grid: ceil(rows / tile).
template <int tile, int width>
__tile_global__ void gather(const float* __restrict__ table, const int* __restrict__ index,
                            float* __restrict__ out, int rows, int columns) {
  ct::partition_view index_view{ct::tensor_span{index, ct::extents{rows}}, ct::shape<tile>{}};
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{rows, columns}}, ct::shape<tile, width>{}};
  auto block = ct::bid().x;
  auto row = ct::reshape(index_view.load_masked(block), ct::shape<tile, 1>{});
  auto column = ct::iota<ct::tile<int, ct::shape<1, width>>>();
  auto row_begin = table + ct::element_cast<long long>(row) * columns;
  out_view.store_masked(ct::load(row_begin + ct::min(column, columns - 1)), block, 0);
}

/// counts[v] += how often v is among n values; others than [0, bins) are skipped. Grid: ceil(n / tile).
template <int tile>
__tile_global__ void histogram(const int* __restrict__ values, int* __restrict__ counts, int n, int bins) {
  using shape = ct::shape<tile>;
  auto unsigned_values = reinterpret_cast<const unsigned*>(values); // of which negative ones are the greatest
  ct::partition_view view{ct::tensor_span{unsigned_values, ct::extents{n}}, shape{}};
  auto block = static_cast<int>(ct::bid().x);
  auto value = view.load_masked(block);
  auto left = static_cast<unsigned>(n - block * tile), last = static_cast<unsigned>(bins - 1);
  auto counted = ct::iota<ct::tile<unsigned, shape>>() < left && value <= last;
  ct::atomic_add_masked(counts + ct::min(value, last), ct::ones<ct::tile<int, shape>>(), counted,
                        ct::memory_order_relaxed_t{}, ct::thread_scope_device_t{});
}

/// The same, for `steps` tiles a block; of a tile without others, nothing is masked. Grid: ceil(n / (steps *
/// tile)).
template <int tile, int steps>
__tile_global__ void histogram_of_steps(const int* __restrict__ values, int* __restrict__ counts, int n,
                                        int bins) {
  using shape = ct::shape<tile>;
  auto unsigned_values = reinterpret_cast<const unsigned*>(values);
  ct::partition_view view{ct::tensor_span{unsigned_values, ct::extents{n}}, shape{}};
  auto ones = ct::ones<ct::tile<int, shape>>();
  auto last = static_cast<unsigned>(bins - 1);
  int begin = static_cast<int>(ct::bid().x) * steps;
  for (int step : ct::irange(begin, ct::min(begin + steps, ct::ceildiv(n, tile)))) {
    auto value = view.load_masked(step);
    auto left = n - step * tile;
    if (left >= tile && ct::reduce_max(value, 0_ic) <= last)
      ct::atomic_add(counts + value, ones, ct::memory_order_relaxed_t{}, ct::thread_scope_device_t{});
    else
      ct::atomic_add_masked(counts + ct::min(value, last), ones,
                            ct::iota<ct::tile<int, shape>>() < left && value <= last,
                            ct::memory_order_relaxed_t{}, ct::thread_scope_device_t{});
  }
}
