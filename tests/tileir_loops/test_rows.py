"""rows: pointers to consecutive elements are one pointer where operations belong to no nest."""

from __future__ import annotations

import numpy as np
import pytest
from pass_results import assert_same_results

from pycuda_tile import tileir
from pycuda_tile.tileir.loops.translate import fuse

COPY = """entry @k(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>) {
  %i = iota : tile<8xi32>
  %r = reshape %i : tile<8xi32> -> tile<2x4xi32>
  // counts
  %p1 = reshape %p : tile<ptr<f32>> -> tile<1x1xptr<f32>>
  %ps = broadcast %p1 : tile<1x1xptr<f32>> -> tile<2x4xptr<f32>>
  %from = offset %ps, %r : tile<2x4xptr<f32>>, tile<2x4xi32> -> tile<2x4xptr<f32>>
  %x, %t0 = load_ptr_tko weak %from : tile<2x4xptr<f32>> -> tile<2x4xf32>, token
  %q1 = reshape %q : tile<ptr<f32>> -> tile<1x1xptr<f32>>
  %qs = broadcast %q1 : tile<1x1xptr<f32>> -> tile<2x4xptr<f32>>
  %to = offset %qs, %r : tile<2x4xptr<f32>>, tile<2x4xi32> -> tile<2x4xptr<f32>>
  %y = negf %x : tile<2x4xf32>
  %t1 = store_ptr_tko weak %to, %y token = %t0 : tile<2x4xptr<f32>>, tile<2x4xf32> -> token
  return
}
"""
LOAD = "offset %ps, %r : tile<2x4xptr<f32>>, tile<2x4xi32>"
STORE = "offset %qs, %r : tile<2x4xptr<f32>>, tile<2x4xi32>"
WIDE = "offset %qs, %w : tile<2x4xptr<f32>>, tile<2x4xi64>"
TURNED = """%s = reshape %i : tile<8xi32> -> tile<4x2xi32>
  %k = permute %s [1, 0] : tile<4x2xi32> -> tile<2x4xi32>"""
REPEATED = """%s = iota : tile<4xi32>
  %s1 = reshape %s : tile<4xi32> -> tile<1x4xi32>
  %k = broadcast %s1 : tile<1x4xi32> -> tile<2x4xi32>"""
MASK = """%k = constant <i1: true> : tile<2x4xi1>"""
ZERO = """%k = constant <f32: 0.0> : tile<2x4xf32>"""


@pytest.mark.parametrize(
    "edits, rows",
    [
        ({}, 2),
        ({"// counts": "%w = exti %r signed : tile<2x4xi32> -> tile<2x4xi64>", STORE: WIDE}, 2),
        ({"// counts": "%w = exti %r unsigned : tile<2x4xi32> -> tile<2x4xi64>", STORE: WIDE}, 2),
        ({"// counts": TURNED, STORE: STORE.replace("%r", "%k")}, 1),
        ({"// counts": REPEATED, LOAD: LOAD.replace("%r", "%k")}, 1),
        ({"// counts": "%k = muli %r, %r : tile<2x4xi32>", LOAD: LOAD.replace("%r", "%k")}, 1),
        ({"weak %from": "relaxed device %from"}, 1),
        (
            {
                "// counts": MASK,
                "weak %from ": "weak %from, %k ",
                "<f32>> -> tile": "<f32>>, tile<2x4xi1> -> tile",
            },
            2,
        ),
        (
            {
                "// counts": ZERO,
                "weak %from ": "weak %from, %k ",
                "<f32>> -> tile": "<f32>>, tile<2x4xf32> -> tile",
            },
            2,
        ),
    ],
    ids=["plain", "signed", "unsigned", "turned", "repeated", "squares", "strong", "masked", "padded"],
)
def test_rows(edits: dict[str, str], rows: int):
    text = COPY
    for before, after in edits.items():
        assert before in text
        if before.startswith("<f32>> -> tile"):
            text = text.replace("%k : tile<2x4xptr" + before, "%k : tile<2x4xptr" + after)
        else:
            text = text.replace(before, after)
    check(text, rows)


def check(text: str, rows: int) -> None:
    """How many accesses are to rows, and that the results are those of the interpreter, bit for bit."""
    module = tileir.parse(text)
    written = fuse(module)[0]
    assert written.count("loops::load_row<") + written.count("loops::store_row(") == rows
    x = np.random.default_rng(1).standard_normal(256).astype(np.float32)
    assert_same_results(module, x)


MOVED = """entry @k(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>) {{
  %i = iota : tile<{count}xi32>
  %start = constant <i32: 3> : tile<i32>
  %s1 = reshape %start : tile<i32> -> tile<1xi32>
  %s = broadcast %s1 : tile<1xi32> -> tile<{count}xi32>
  %at = {sum} : tile<{count}xi32>
  %n = constant <i32: {bound}> : tile<{count}xi32>
  %mask = cmpi less_than %at, %n, signed : tile<{count}xi32> -> tile<{count}xi1>
  %p1 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
  %ps = broadcast %p1 : tile<1xptr<f32>> -> tile<{count}xptr<f32>>
  %from = offset %ps, %at : tile<{count}xptr<f32>>, tile<{count}xi32> -> tile<{count}xptr<f32>>
  %pad = constant <f32: 2.0> : tile<{count}xf32>
  %x, %t0 = load_ptr_tko weak %from, %mask, %pad : tile<{count}xptr<f32>>, tile<{count}xi1>, \
tile<{count}xf32> -> tile<{count}xf32>, token
  %q1 = reshape %q : tile<ptr<f32>> -> tile<1xptr<f32>>
  %qs = broadcast %q1 : tile<1xptr<f32>> -> tile<{count}xptr<f32>>
  %to = offset %qs, %i : tile<{count}xptr<f32>>, tile<{count}xi32> -> tile<{count}xptr<f32>>
  %t1 = store_ptr_tko weak %to, %x token = %t0 : tile<{count}xptr<f32>>, tile<{count}xf32> -> token
  %end = constant <i32: 64> : tile<i32>
  %e1 = reshape %end : tile<i32> -> tile<1xi32>
  %e = broadcast %e1 : tile<1xi32> -> tile<{count}xi32>
  %later = addi %e, %at overflow<no_signed_wrap> : tile<{count}xi32>
  %last = offset %qs, %later : tile<{count}xptr<f32>>, tile<{count}xi32> -> tile<{count}xptr<f32>>
  %t2 = store_ptr_tko weak %last, %x, %mask token = %t0 : tile<{count}xptr<f32>>, tile<{count}xf32>, \
tile<{count}xi1> -> token
  return
}}
"""
ADDED = "addi %i, %s overflow<no_signed_wrap>"


@pytest.mark.parametrize("count, bound", [(4, 5), (4, 7), (4, 0), (8, 4), (8, 11), (32, 20)])
def test_masked_rows_that_begin_later(count: int, bound: int):
    check(MOVED.format(count=count, bound=bound, sum=ADDED), 2)


@pytest.mark.parametrize(
    "numbers", ["addi %i, %s", "subi %s, %i overflow<no_signed_wrap>"], ids=["wrap", "fall"]
)
def test_numbers_that_are_not_consecutive(numbers: str):
    """Those that may wrap around, and those that fall: the first store alone is to a row."""
    check(MOVED.format(count=4, bound=2, sum=numbers), 1)


@pytest.mark.parametrize("count, rows", [(128, 1), (256, 0)])
def test_positions_that_are_negative(count: int, rows: int):
    """The last 128 of 256 positions of 8 bits are below the pointer."""
    text = f"""entry @k(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>) {{
  %i = iota : tile<{count}xi8>
  %half = constant <i32: 128> : tile<i32>
  %middle = offset %q, %half : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %q1 = reshape %middle : tile<ptr<f32>> -> tile<1xptr<f32>>
  %qs = broadcast %q1 : tile<1xptr<f32>> -> tile<{count}xptr<f32>>
  %to = offset %qs, %i : tile<{count}xptr<f32>>, tile<{count}xi8> -> tile<{count}xptr<f32>>
  %y = iota : tile<{count}xi32>
  %z = bitcast %y : tile<{count}xi32> -> tile<{count}xf32>
  %t1 = store_ptr_tko weak %to, %z : tile<{count}xptr<f32>>, tile<{count}xf32> -> token
  return
}}
"""
    check(text, rows)
