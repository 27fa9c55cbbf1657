// Cross-entropy of each row of scores against its label: loss = log(sum_j exp(score[j])) - score[label], and
// 0 for rows to ignore, whose label is negative.
//
// One block takes one row of any number of classes, so the grid is `rows`. It walks over the row in pieces of
// Width, and keeps the maximum and the sum of exponentials so far.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cuda_tile.h"

namespace ct = cuda::tiles;
using namespace ct::literals;

template <typename T, int Width = 512>
[[cutile::hint(0, occupancy = 4)]]
__tile_global__ void cross_entropy(const T* __restrict__ scores, const int* __restrict__ labels,
                                   float* __restrict__ loss, int rows, int classes) {
  ct::partition_view score_view{ct::tensor_span{scores, ct::extents{rows, classes}}, ct::shape<1, Width>{}};

  auto row = static_cast<int>(ct::bid().x);
  int label = labels[row];
  if (label < 0) {
    ct::store(loss + row, 0.0f);
    return;
  }
  auto most = ct::full<ct::tile<float, ct::shape<1, 1>>>(-1e30f);
  auto total = ct::zeros<ct::tile<float, ct::shape<1, 1>>>();
  auto wanted = ct::zeros<ct::tile<float, ct::shape<1, 1>>>();
  for (int piece : ct::irange(0, ct::ceildiv(classes, Width))) {
    auto score =
        ct::element_cast<float>(score_view.load_masked(ct::view_padding_negative_inf_t{}, row, piece));
    auto new_most = ct::max(most, ct::reduce_max(score, 1_ic));
    total = total * ct::exp(most - new_most) + ct::sum(ct::exp(score - new_most), 1_ic);
    auto index = piece * Width + ct::iota<ct::tile<int, ct::shape<1, Width>>>();
    wanted = wanted + ct::sum(ct::select(index == label, score, ct::zeros<decltype(score)>()), 1_ic);
    most = new_most;
  }
  ct::store(loss + row, ct::reshape(most + ct::log(total) - wanted, ct::shape<>{}));
}
