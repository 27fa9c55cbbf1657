"""Memory use of launches: many blocks of large tiles stay within a bound, and the largest tiles work."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import pycuda_tile as pct

resource = pytest.importorskip("resource", reason="memory is measured through the module resource of Unix")

SOURCE = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using namespace ct::literals;
// Block b sums a polynomial of the tile b modulo 8.
template <int tile>
__tile_global__ void sums(const float* in, float* out) {
  ct::partition_view view{ct::tensor_span{in, ct::extents{8 * tile}}, ct::shape<tile>{}};
  auto block = ct::bid().x;
  auto x = view.load(block % 8);
  auto y = x * x + x;
  out[block] = static_cast<float>(ct::sum(ct::select(y > 2.0f, x, y * 0.5f), 0_ic));
}
// Tiles that come and go in a loop.
template <int tile>
__tile_global__ void steps(float* x) {
  ct::partition_view view{ct::tensor_span{x, ct::extents{tile}}, ct::shape<tile>{}};
  auto y = view.load(0);
  for (int i : ct::irange(0, 3))
    y = y + static_cast<float>(i);
  view.store(y, 0);
}
"""

CHILD = """
import json, resource, sys
import numpy as np
import pycuda_tile as pct
kernel = pct.build(sys.stdin.read(), target="cpu").kernel("sums<16384>")  # 64 KiB
values, out = np.ones(8 * 16384, np.float32), np.empty(10_000, np.float32)
kernel[1](values, out)  # what is loaded and reserved once
out[:] = 0
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
kernel[10_000](values, out)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([after - before, float(out.min()), float(out.max())]))
"""


def test_memory_of_many_blocks():
    child = subprocess.run(
        [sys.executable, "-c", CHILD], input=SOURCE, capture_output=True, text=True, check=False
    )
    assert child.returncode == 0, child.stderr
    grown, least, greatest = json.loads(child.stdout)
    assert least == greatest == 16384  # 1 * 1 + 1 is not above 2, so each element contributes half of it
    unit = 1 if sys.platform == "darwin" else 1024  # bytes or KiB
    assert grown * unit <= 64 << 20


def test_largest_tile():
    size = 1 << 24
    x = np.arange(size, dtype=np.float32)
    pct.build(SOURCE, target="cpu").kernel(f"steps<{size}>")[1](x)
    np.testing.assert_array_equal(x, np.arange(size, dtype=np.float32) + np.float32(3))
