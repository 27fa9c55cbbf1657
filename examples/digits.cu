// Inference of a small fully connected network: two or more layers `dense_relu`, one `dense`, then
// `classify`.
//
// All matrices are row-major floats. One block of a dense layer computes a tile of 32 samples x 32 outputs,
// so its grid is (ceil(outputs / 32), ceil(samples / 32)); one block of `classify` takes 32 samples.
#include "cuda_tile.h"

namespace ct = cuda::tiles;
using namespace ct::literals;

constexpr int tile_samples = 32;
constexpr int tile_outputs = 32;
constexpr int tile_inputs = 32;
constexpr int max_classes = 16;

/// The block's tile of x weight + bias; x is samples x inputs, weight is inputs x outputs, bias has one value
/// per output.
__tile__ inline auto affine(const float* x, const float* weight, const float* bias, int samples, int inputs,
                            int outputs) {
  ct::partition_view x_view{ct::tensor_span{x, ct::extents{samples, inputs}},
                            ct::shape<tile_samples, tile_inputs>{}};
  ct::partition_view weight_view{ct::tensor_span{weight, ct::extents{inputs, outputs}},
                                 ct::shape<tile_inputs, tile_outputs>{}};
  ct::partition_view bias_view{ct::tensor_span{bias, ct::extents{outputs}}, ct::shape<tile_outputs>{}};

  auto block = ct::bid();
  auto sum = ct::zeros<ct::tile<float, ct::shape<tile_samples, tile_outputs>>>();
  for (int step : ct::irange(0, ct::ceildiv(inputs, tile_inputs))) {
    sum = ct::mma(x_view.load_masked(block.y, step), weight_view.load_masked(step, block.x), sum);
  }
  return sum + bias_view.load_masked(block.x);
}

/// Stores the block's tile of y, which is samples x outputs.
__tile__ inline void store_outputs(float* y, ct::tile<float, ct::shape<tile_samples, tile_outputs>> values,
                                   int samples, int outputs) {
  ct::partition_view y_view{ct::tensor_span{y, ct::extents{samples, outputs}},
                            ct::shape<tile_samples, tile_outputs>{}};
  auto block = ct::bid();
  y_view.store_masked(values, block.y, block.x);
}

/// y = x weight + bias
__tile_global__ void dense(const float* __restrict__ x, const float* __restrict__ weight,
                           const float* __restrict__ bias, float* __restrict__ y, int samples, int inputs,
                           int outputs) {
  store_outputs(y, affine(x, weight, bias, samples, inputs, outputs), samples, outputs);
}

/// y = max(x weight + bias, 0)
__tile_global__ void dense_relu(const float* __restrict__ x, const float* __restrict__ weight,
                                const float* __restrict__ bias, float* __restrict__ y, int samples,
                                int inputs, int outputs) {
  store_outputs(y, ct::max(affine(x, weight, bias, samples, inputs, outputs), 0.0f), samples, outputs);
}

/// From scores of samples x classes (16 at most): each sample's most probable class, and its probability by
/// softmax.
__tile_global__ void classify(const float* __restrict__ scores, int* __restrict__ labels,
                              float* __restrict__ confidence, int samples, int classes) {
  using score_shape = ct::shape<tile_samples, max_classes>;
  ct::partition_view score_view{ct::tensor_span{scores, ct::extents{samples, classes}}, score_shape{}};
  ct::partition_view label_view{ct::tensor_span{labels, ct::extents{samples, 1_ic}},
                                ct::shape<tile_samples, 1>{}};
  ct::partition_view confidence_view{ct::tensor_span{confidence, ct::extents{samples, 1_ic}},
                                     ct::shape<tile_samples, 1>{}};

  auto block = ct::bid().x;
  auto score = score_view.load_masked(ct::view_padding_negative_inf_t{}, block, 0);
  auto best = ct::reduce_max(score, 1_ic);

  // The lowest class among those that reach the best score.
  auto class_index = ct::broadcast(ct::iota<ct::tile<int, ct::shape<max_classes>>>(), score_shape{});
  auto candidates = ct::select(score == best, class_index, ct::full<ct::tile<int, score_shape>>(max_classes));
  label_view.store_masked(ct::reduce_min(candidates, 1_ic), block, 0);

  // The probability of the best class is exp(best - best) / sum = 1 / sum.
  confidence_view.store_masked(1.0f / ct::sum(ct::exp(score - best), 1_ic), block, 0);
}
