"""Matrix products by matrix instructions, which the emulated target carries out lane by lane from the PTX
manual's fragments, against NumPy."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import pycuda_tile as pct

# Tiles of m x n x k, and a matrix that they do not divide.
SHAPES = [
    (16, 8, 16),
    (32, 32, 32),
    (64, 64, 64),
    (16, 128, 32),
    (128, 32, 16),
    (64, 16, 128),
    (128, 128, 64),
]
TYPES = {"__half": np.float16, "__nv_bfloat16": ml_dtypes.bfloat16}

SOURCE = """
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "cuda_tile.h"
namespace ct = cuda::tiles;

template <typename E, typename C, int M, int N, int K>
__tile_global__ void matmul(const E* a, const E* b, C* c, int m, int n, int k) {
  using tile = ct::tile<C, ct::shape<M, N>>;
  using left = ct::tile<E, ct::shape<M, K>>;
  using right = ct::tile<E, ct::shape<K, N>>;
  static_assert(ct::detail::uses_matrix_unit<left, right, tile>());
  ct::partition_view a_view{ct::tensor_span{a, ct::extents{m, k}}, ct::shape<M, K>{}};
  ct::partition_view b_view{ct::tensor_span{b, ct::extents{k, n}}, ct::shape<K, N>{}};
  ct::partition_view c_view{ct::tensor_span{c, ct::extents{m, n}}, ct::shape<M, N>{}};
  auto row = ct::bid().y, column = ct::bid().x;
  auto sum = ct::zeros<tile>();
  for (int step : ct::irange(0, ct::ceildiv(k, K)))
    sum = ct::mma(a_view.load_masked(row, step), b_view.load_masked(step, column), sum);
  c_view.store_masked(sum, row, column);
}
"""


@pytest.mark.parametrize("threads", [32, 128])
def test_products_of_small_integers_are_exact(threads):
    rng = np.random.default_rng(1)
    names = [
        f"matmul<{element}, {accumulator}, {', '.join(map(str, shape))}>"
        for i, shape in enumerate(SHAPES)
        for element, accumulator in [(list(TYPES)[i % 2], "float"), ("__half", "__half")][: 1 + (i % 3 == 0)]
    ]
    module = pct.build(SOURCE, target="emulated", num_threads=threads, kernels=names)
    for name in names:
        element, accumulator, *lengths = name[7:-1].split(", ")
        m_tile, n_tile, k_tile = map(int, lengths)
        m, n, k = m_tile + 5, n_tile + 3, k_tile + 7
        a = rng.integers(-4, 5, (m, k)).astype(TYPES[element])
        b = rng.integers(-4, 5, (k, n)).astype(TYPES[element])
        c = np.full((m, n), np.nan, np.float32 if accumulator == "float" else np.float16)
        module.kernel(name)[2, 2](a, b, c, m, n, k)
        expected = a.astype(np.float64) @ b.astype(np.float64)
        np.testing.assert_array_equal(c.astype(np.float64), expected, err_msg=name)


def test_transposed_operands_and_weights_of_attention():
    """Two products of which the second takes what was made of the first's accumulators."""
    source = """
    #include <cuda_fp16.h>
    #include "cuda_tile.h"
    namespace ct = cuda::tiles;
    __tile_global__ void twice(const __half* q, const __half* k, const __half* v, float* out) {
      auto view = [](auto* p, auto shape) {
        return ct::partition_view{ct::tensor_span{p, shape}, shape};
      };
      auto query = view(q, ct::shape<64, 32>{}).load(0, 0);
      auto key = view(k, ct::shape<128, 32>{}).load(0, 0);
      auto value = view(v, ct::shape<128, 64>{}).load(0, 0);
      auto scores = ct::mma(query, ct::transpose(key), ct::zeros<ct::tile<float, ct::shape<64, 128>>>());
      auto weights = ct::element_cast<__half>(scores);
      ct::tile<float, ct::shape<64, 64>> result = ct::element_cast<float>(ct::matmul(weights, value));
      view(out, ct::shape<64, 64>{}).store(result, 0, 0);
    }
    """
    rng = np.random.default_rng(2)
    q, k, v = (rng.integers(-2, 3, s).astype(np.float16) for s in ((64, 32), (128, 32), (128, 64)))
    out = np.full((64, 64), np.nan, np.float32)
    module = pct.build(source, target="emulated", num_threads=128)
    module.kernel("twice")[1](q, k, v, out)
    exact = q.astype(np.int64) @ k.astype(np.int64).T @ v.astype(np.int64)
    np.testing.assert_allclose(out, exact, rtol=1e-3, atol=2)  # the second product is rounded to half
