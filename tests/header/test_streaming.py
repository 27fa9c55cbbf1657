"""Stores to arrays so large that they bypass the caches: tails, misaligned arrays, and updates in place."""

from __future__ import annotations

import numpy as np
import pytest

import pycuda_tile as pct

SOURCE = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
__tile_global__ void twice(const float* in, float* out, int rows, int columns) {
  ct::partition_view in_view{ct::tensor_span{in, ct::extents{rows, columns}}, ct::shape<4, 64>{}};
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{rows, columns}}, ct::shape<4, 64>{}};
  auto block = ct::bid();
  out_view.store_masked(in_view.load_masked(block.y, block.x) * 2.0f, block.y, block.x);
}
"""
LARGE = 33 << 18  # floats: 33 MiB


def array(size: int, skipped_bytes: int) -> np.ndarray:
    """Floats that begin `skipped_bytes` after a multiple of 64."""
    memory = np.zeros(4 * size + 128, np.uint8)
    begin = -memory.ctypes.data % 64 + skipped_bytes
    return memory[begin : begin + 4 * size].view(np.float32)


@pytest.mark.parametrize("columns", [1024, 1000, 1001], ids=lambda n: f"{n} columns")
@pytest.mark.parametrize("skipped_bytes", [0, 16, 4])
@pytest.mark.parametrize("in_place", [False, True], ids=["copy", "in place"])
def test_large_store(columns, skipped_bytes, in_place):
    rows = LARGE // columns + 1
    kernel = pct.build(SOURCE, target="cpu").kernel("twice")
    out = array(rows * columns, skipped_bytes)
    values = np.arange(rows * columns, dtype=np.float32)
    if in_place:
        out[:] = values
    grid = (-(-columns // 64), -(-rows // 4))
    kernel[grid](out if in_place else values, out, rows, columns)
    assert np.array_equal(out, 2 * values)
