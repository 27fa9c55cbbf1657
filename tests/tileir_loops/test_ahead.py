"""What the next block, or the next round of a loop, loads is fetched by the second group that loads a row."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from open_front_end import module

from pycuda_tile.tileir.loops import fuse

SOFTMAX = Path(__file__).resolve().parents[2] / "examples" / "softmax.cu"
KERNEL = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using namespace ct::literals;

__tile_global__ void k(const float* x, float* out, int rows, int columns) {
  using row_shape = ct::shape<ROWS, 1024>;
  ct::partition_view from{ct::tensor_span{x, ct::extents{rows, columns}}, row_shape{}};
  ct::partition_view to{ct::tensor_span{out, ct::extents{rows, columns}}, row_shape{}};
  FOR {
    auto t = from.load_masked(row, 0);
    to.store_masked(t / ct::sum(t, 1_ic), row, 0);
  }
}
"""
BLOCK = "auto row = ct::bid().x; if (true)"
LOOP = "for (int row : ct::irange(int(ct::bid().x), rows, int(ct::num_blocks().x)))"
OTHER = "auto row = int(ct::bid().x) * columns + 1; if (true)"
SQUARE = "auto row = ct::bid().x * ct::bid().x; if (true)"
POINTERS = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using namespace ct::literals;

__tile_global__ void k(const float* x, float* out, int columns) {
  auto i = ct::iota<ct::tile<int, ct::shape<1024>>>() + int(ct::bid().x) * columns;
  auto t = ct::load(x + i);
  ct::store(out + i, t / ct::sum(t, 0_ic));
}
"""


def prefetches(source: str | Path, kernel: str) -> list[str]:
    return re.findall(r"loops::prefetch<strip>\((.*)\);", fuse(module(source, kernel))[0])


def test_the_second_of_three_groups_asks():
    (asked,) = prefetches(SOFTMAX, "softmax")
    assert re.fullmatch(r"at_1 \+ i0_1 \+ tensor_stride0", asked)


@pytest.mark.parametrize(
    "which, rows, distance",
    [
        (BLOCK, "1", r"\+ tensor_stride0$"),
        (OTHER, "1", r"\+ tensor_stride0 \* static_cast<long long>\(\w+\)$"),
        (LOOP, "1", r"\+ tensor_stride0 \* static_cast<long long>\(\w+\)$"),
        (SQUARE, "1", ""),
    ],
)
def test_how_far_ahead_the_next_row_is(which: str, rows: str, distance: str):
    found = prefetches(KERNEL.replace("ROWS", rows).replace("FOR", which), "k")
    assert len(found) == bool(distance)
    assert all(re.search(distance, each) for each in found)


def test_rows_of_one_tile_follow_each_other():
    """So all groups ask for the row after the next one."""
    found = prefetches(KERNEL.replace("ROWS", "4").replace("FOR", BLOCK), "k")
    assert len(found) == 2 and all(each.endswith("+ 2 * tensor_stride0") for each in found)


def test_rows_of_pointers():
    (asked,) = prefetches(POINTERS, "k")
    assert re.search(r"\+ static_cast<long long>\(\w+\)$", asked)
