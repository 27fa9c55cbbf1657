"""Loads and stores of 16 bytes are correct wherever arrays begin, rows end, and pointers point."""

from __future__ import annotations

import numpy as np
import pytest

import pycuda_tile as pct

SOURCE = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;

__tile_global__ void by_pointers(const float* in, float* out, int stride) {
  auto i = ct::iota<ct::tile<int, ct::shape<1024>>>();
  ct::store(out + i, ct::load(in + i * stride));
}

/// Two arrays of rows in which `skipped` elements are left out at the end of each eight.
__tile_global__ void by_masked_pointers(const short* in, short* out, int n, int skipped) {
  auto i = ct::iota<ct::tile<int, ct::shape<1024>>>();
  auto chosen = i < n && i % 8 < 8 - skipped;
  ct::store_masked(out + i, ct::load_masked(in + i, chosen, -2), chosen || i >= 1000);
}

__tile_global__ void by_views(const short* in, short* out, int rows, int columns) {
  ct::partition_view from{ct::tensor_span{in, ct::extents{rows, columns}}, ct::shape<16, 64>{}};
  ct::partition_view to{ct::tensor_span{out, ct::extents{rows, columns}}, ct::shape<16, 64>{}};
  to.store_masked(from.load_masked(ct::bid().y, ct::bid().x), ct::bid().y, ct::bid().x);
}
"""


@pytest.fixture(scope="module", params=[4, 32])
def module(request):
    return pct.build(SOURCE, target="emulated", num_threads=request.param, options=("-O1",))


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("offset", [0, 1, 4])
def test_pointers(module, offset, stride):
    values = np.arange(4096, dtype=np.float32)
    out = np.zeros(1024, np.float32)
    module.kernel("by_pointers")[1](pct.ptr(values, offset), out, stride)
    np.testing.assert_array_equal(out, values[offset : offset + 1024 * stride : stride])


@pytest.mark.parametrize("n", [0, 5, 992, 1024])
@pytest.mark.parametrize("skipped", [0, 3, 8])
@pytest.mark.parametrize("offset", [0, 1, 8])
def test_masked_pointers(module, offset, skipped, n):
    values = np.arange(2048, dtype=np.int16)
    out = np.full(2048, -7, np.int16)
    module.kernel("by_masked_pointers")[1](pct.ptr(values, offset), pct.ptr(out, offset), n, skipped)
    i = np.arange(1024)
    chosen = (i < n) & (i % 8 < 8 - skipped)
    expected = np.full(2048, -7, np.int16)
    expected[offset:][:1024] = np.where(chosen, i + offset, np.where(i >= 1000, -2, -7))
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("columns", [64, 72, 100, 129])
@pytest.mark.parametrize("offset", [0, 3, 8])
def test_views(module, offset, columns):
    rows = 19
    values = np.arange(rows * columns + offset, dtype=np.int16)
    out = np.full(rows * columns + offset + 1, -1, np.int16)
    grid = (-(-columns // 64), 2)
    module.kernel("by_views")[grid](pct.ptr(values, offset), pct.ptr(out, offset), rows, columns)
    np.testing.assert_array_equal(out[offset:-1], values[offset:])
    assert (out[:offset] == -1).all() and out[-1] == -1  # nothing outside the array
