"""Structures in fused kernels, which clang copies as numbers of other types than their members."""

from __future__ import annotations

import numpy as np
import pytest

import pycuda_tile as pct

SOURCE = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
struct record { float key; int number; };
template <typename P>
__tile__ void turn(P* p, int n) {
  for (int i = 0; i + 1 < n; ++i) {
    p[i].x = p[i].x + 1;
    P t = p[i];
    p[i] = p[i + 1];
    p[i + 1] = t;
    p[i].y = p[i + 1].x;
  }
}
__tile__ void twice(float* x) {
  auto i = ct::iota<ct::tile<int, ct::shape<64>>>();
  ct::store(x + i, ct::load(x + i) * 2.0f);
}
__tile_global__ void pairs(int2* p, float* x, int n) { turn(p, n); twice(x); }
__tile_global__ void sorted(const float* keys, int* numbers, float* x) {
  record r[8];
  for (int i = 0; i < 8; ++i)
    r[i] = {keys[i], i};
  for (int i = 1; i < 8; ++i)
    for (int j = i; j > 0 && r[j].key < r[j - 1].key; --j) {
      record t = r[j];
      r[j] = r[j - 1];
      r[j - 1] = t;
    }
  for (int i = 0; i < 8; ++i)
    numbers[i] = r[i].number;
  twice(x);
}
"""


@pytest.mark.parametrize("optimize", [True, False])
def test_structures_that_are_copied(optimize: bool):
    module = pct.build(SOURCE, target="cpu", optimize=optimize)
    pairs = np.arange(32, dtype=np.int32).reshape(16, 2)
    wanted, x = pairs.copy(), np.ones(64, np.float32)
    for i in range(15):
        wanted[i, 0] += 1
        wanted[[i, i + 1]] = wanted[[i + 1, i]]
        wanted[i, 1] = wanted[i + 1, 0]
    module["pairs"][1](pairs.view([("x", np.int32), ("y", np.int32)]).ravel(), x, 16)
    np.testing.assert_array_equal(pairs, wanted)
    keys, numbers = np.random.default_rng(0).random(8, np.float32), np.zeros(8, np.int32)
    module["sorted"][1](keys, numbers, x)
    np.testing.assert_array_equal(numbers, np.argsort(keys))
    assert (x == 4).all()
