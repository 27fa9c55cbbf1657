"""Local arrays of tiles and of structures with tiles, indexed at run time."""

from __future__ import annotations

import numpy as np
from open_front_end import module

from pycuda_tile import tileir
from pycuda_tile.tileir.ir import walk

HEAD = """#include "cuda_tile.h"
namespace ct = cuda::tiles;
using tile = ct::tile<float, ct::shape<8, 4>>;
using flags = ct::tile<bool, ct::shape<8, 4>>;
struct item { tile t; flags f; int k; };
"""
ITEMS = """
__tile_global__ void items(float* y, int n) {
  item items[3];
  for (int i = 0; i < 3; ++i) {
    items[i].t = ct::full<tile>(i + 0.5f);
    items[i].f = items[i].t > ct::full<tile>(1.0f);
    items[i].k = i * 10;
  }
  for (int i = 0; i < n; ++i) {
    auto& x = items[i % 3];
    auto other = items[(i + 1) % 3];
    x.t = ct::select(other.f, x.t + other.t, x.t);
    x.k += other.k;
    items[(i + 2) % 3].f = x.f;
  }
  tile sum = ct::zeros<tile>();
  for (auto& x : items)
    sum = sum + x.t * static_cast<float>(x.k);
  ct::partition_view{ct::tensor_span{y, ct::extents{8, 4}}, ct::shape<8, 4>{}}.store(sum, 0, 0);
}
"""


def sum_of_items(n: int) -> float:
    items = [[i + 0.5, i + 0.5 > 1, i * 10] for i in range(3)]
    for i in range(n):
        x, other = items[i % 3], items[(i + 1) % 3]
        x[0] += other[0] * other[1]
        x[2] += other[2]
        items[(i + 2) % 3][1] = x[1]
    return sum(t * k for t, _, k in items)


def test_structures_with_tiles():
    made = module(HEAD + ITEMS)
    (entry,) = made.entries
    built = tileir.build(made, target="cpu")
    assert sum(op.name == "alloca" for op in walk(entry.body)) == 1
    for n in (0, 1, 5, 8):
        expected = np.full((8, 4), sum_of_items(n), np.float32)
        for launch in (lambda y, n: tileir.interpret(made, entry.name, 1, y, n), built.kernel(entry.name)[1]):
            y = np.zeros((8, 4), np.float32)
            launch(y, n)
            np.testing.assert_array_equal(y, expected)


def test_shuffled_accesses_change_nothing():
    made = module(HEAD + ITEMS)
    for seed in range(3):
        y = np.zeros((8, 4), np.float32)
        tileir.interpret(made, made.entries[0].name, 1, y, 7, seed=seed)
        assert np.all(y == sum_of_items(7))
