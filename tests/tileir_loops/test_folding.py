"""folding: small tiles that are known before anything runs are constants, of the interpreter's elements."""

from __future__ import annotations

import math

import numpy as np
import pytest
from pass_results import assert_same_results

from pycuda_tile import tileir
from pycuda_tile.tileir.loops.translate import fuse


def kernel(lines: str, shape: str) -> str:
    """Stores %r, a tile of 32 bit integers; %i are its positions, and %n one of its arguments."""
    count, pointers = math.prod(map(int, shape.split("x"))), f"tile<{shape}xptr<i32>>"
    ones = "x".join("1" for _ in shape.split("x"))
    return f"""entry @k(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>) {{
  %l = iota : tile<{count}xi32>
  %i = reshape %l : tile<{count}xi32> -> tile<{shape}xi32>
  %n, %t0 = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
{lines}
  %q1 = reshape %q : tile<ptr<i32>> -> tile<{ones}xptr<i32>>
  %qs = broadcast %q1 : tile<{ones}xptr<i32>> -> {pointers}
  %to = offset %qs, %i : {pointers}, tile<{shape}xi32> -> {pointers}
  %t1 = store_ptr_tko weak %to, %r : {pointers}, tile<{shape}xi32> -> token
  return
}}
"""


ROWS = """  %row = iota : tile<4xi32>
  %row1 = reshape %row : tile<4xi32> -> tile<4x1xi32>
  %one = constant <i32: 1> : tile<4x1xi32>
  %next = addi %row1, %one : tile<4x1xi32>
  %r = broadcast %next : tile<4x1xi32> -> tile<4x8xi32>"""
BITS = """  %c = constant <i32: [[3, -5, 7, 2147483647], [-2147483648, 0, 1, -1]]> : tile<2x4xi32>
  %a = muli %c, %c : tile<2x4xi32>
  %two = constant <i32: 2> : tile<2x4xi32>
  %b = shri %a, %two signed : tile<2x4xi32>
  %w = trunci %b : tile<2x4xi32> -> tile<2x4xi16>
  %v = exti %w unsigned : tile<2x4xi16> -> tile<2x4xi32>
  %r = xori %v, %i : tile<2x4xi32>"""
OVERFLOW = """  %c = constant <i32: 2147483647> : tile<2x4xi32>
  %r = addi %c, %i overflow<no_signed_wrap> : tile<2x4xi32>"""
GIVEN = """  %n1 = reshape %n : tile<i32> -> tile<1x1xi32>
  %ns = broadcast %n1 : tile<1x1xi32> -> tile<2x4xi32>
  %r = addi %ns, %i : tile<2x4xi32>"""
LARGE = """  %one = constant <i32: 1> : tile<64xi32>
  %r = addi %one, %i : tile<64xi32>"""


@pytest.mark.parametrize(
    "lines, shape, is_folded",
    [
        (ROWS, "4x8", True),
        (BITS, "2x4", True),
        (OVERFLOW, "2x4", False),
        (GIVEN, "2x4", False),
        (LARGE, "64", False),
    ],
    ids=["rows", "bits", "overflow", "given", "large"],
)
def test_folding(lines: str, shape: str, is_folded: bool):
    module = tileir.parse(kernel(lines, shape))
    assert ("r = tileir::listed<" in fuse(module)[0]) == is_folded
    if lines != OVERFLOW:  # which is undefined
        assert_same_results(module, np.arange(64, dtype=np.int32))


def test_positions_stay():
    """Of these, loads and stores find that pointers follow each other."""
    text = fuse(tileir.parse(kernel(ROWS, "4x8")))[0]
    assert "ct::iota<" in text and "loops::store_row(q, " in text
