// Histogram: adds to counts[v] the number of times that v occurs among n values. Values outside [0, bins) are
// skipped.
//
// One block counts one tile of 1024 values, so the grid is ceil(n / 1024). Elements of this block and of
// others are added to the same counters, so the additions are atomic.
#include "cuda_tile.h"

namespace ct = cuda::tiles;

constexpr int tile_size = 1024;

__tile_global__ void histogram(const int* __restrict__ values, int* __restrict__ counts, int n, int bins) {
  using int_tile = ct::tile<int, ct::shape<tile_size>>;
  ct::partition_view view{ct::tensor_span{values, ct::extents{n}}, ct::shape<tile_size>{}};

  auto block = static_cast<int>(ct::bid().x);
  auto value = view.load_masked(block);
  auto counted = block * tile_size + ct::iota<int_tile>() < n && value >= 0 && value < bins;

  // A pointer must stay within the array even where the mask is false.
  auto counter = counts + ct::select(counted, value, ct::zeros<int_tile>());
  ct::atomic_add_masked(counter, ct::ones<int_tile>(), counted, ct::memory_order_relaxed_t{},
                        ct::thread_scope_device_t{});
}
