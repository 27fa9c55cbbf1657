"""Kernels whose loops could load what they have stored, or more than exists: fused code has the bits of
op-by-op code and of the interpreter, whatever overlaps."""

from __future__ import annotations

import functools
from functools import partial

import numpy as np
import pytest
from open_front_end import module

from pycuda_tile import tileir

SOURCE = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;

// A row that is added to those of a tile, and then changed in place.
__tile_global__ void row_in_place(float* x, float* y) {
  ct::partition_view row{ct::tensor_span{x, ct::extents{1, 64}}, ct::shape<1, 64>{}};
  ct::partition_view rows{ct::tensor_span{y, ct::extents{8, 64}}, ct::shape<8, 64>{}};
  auto added = row.load(0, 0);
  rows.store(rows.load(0, 0) + added, 0, 0);
  row.store(added + 1.0f, 0, 0);
}

// Neighbours, of which a mask leaves the first n, and another one the first m rows.
template <bool RowsFirst>
__tile__ void masked(float* x, float* y, int n, int m) {
  auto row = ct::reshape(ct::iota<ct::tile<int, ct::shape<32>>>(), ct::shape<32, 1>{});
  auto at = row * 64 + ct::iota<ct::tile<int, ct::shape<64>>>();
  auto rows = ct::broadcast(row < m, ct::shape<32, 64>{});
  auto mask = RowsFirst ? rows & (at < n) : (at < n) & rows;
  auto values = ct::load_masked(x + at, mask);
  ct::store_masked(y + at, ct::exp(values) - values, mask);
}
__tile_global__ void rows_first(float* x, float* y, int n, int m) { masked<true>(x, y, n, m); }
__tile_global__ void rows_last(float* x, float* y, int n, int m) { masked<false>(x, y, n, m); }

// A product of factors of which the first n elements exist.
__tile_global__ void first_elements(float* x, float* y, int n) {
  auto row = ct::reshape(ct::iota<ct::tile<int, ct::shape<32>>>(), ct::shape<32, 1>{});
  auto at = row * 32 + ct::iota<ct::tile<int, ct::shape<32>>>();
  auto zeros = ct::full<ct::tile<float, ct::shape<32, 32>>>(0.0f);
  auto left = ct::load_masked(x + at, at < n, zeros);
  auto right = ct::load_masked(y + at, at < n, zeros);
  ct::store(x + at, ct::mma(left, right, zeros));
}

// Pointers that are used again after the product of what they lead to.
__tile_global__ void shared_pointers(float* x, float* y, int pitch) {
  auto row = ct::reshape(ct::iota<ct::tile<int, ct::shape<32>>>(), ct::shape<32, 1>{});
  auto at = x + (row * pitch + ct::iota<ct::tile<int, ct::shape<32>>>());
  auto right = ct::load(y + row * 32 + ct::iota<ct::tile<int, ct::shape<32>>>());
  ct::store(at, ct::mma(ct::load(at), right, ct::full<ct::tile<float, ct::shape<32, 32>>>(1.0f)));
}
"""


@functools.cache
def made() -> tileir.Module:
    return module(SOURCE)


@functools.cache
def built(optimize: bool | str):
    return tileir.build(made(), optimize=optimize, options=("-O2",))


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("row_in_place", ()),
        *((name, sizes) for name in ("rows_first", "rows_last") for sizes in ((2048, 3), (70, 32))),
        *(("first_elements", (n,)) for n in (0, 33, 1000)),
        ("shared_pointers", (40,)),
    ],
)
@pytest.mark.parametrize("shift", [4096, 64, -64, 0, 1])
def test_orders(name: str, numbers: tuple[int, ...], shift: int):
    ways = [built(optimize).kernel(name) for optimize in ("auto", False)]
    assert ways[0].attributes["path"] == "fused"
    results = []
    for launch in (*(way[1] for way in ways), partial(tileir.interpret, made(), name, 1)):
        memory = np.random.default_rng(0).integers(-4, 5, 7000).astype(np.float32)
        launch(memory[100:3000], memory[100 + shift :], *numbers)
        results.append(memory)
    fused, by_operation, interpreted = results
    assert (fused == by_operation).all()
    np.testing.assert_allclose(fused, interpreted, rtol=1e-6)
