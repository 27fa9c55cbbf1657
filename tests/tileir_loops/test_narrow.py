"""narrow: what is computed in wide integers and cut off again is computed in the narrow type, with the same
results."""

from __future__ import annotations

import numpy as np
import pytest
from pass_results import assert_same_results

from pycuda_tile import tileir
from pycuda_tile.tileir.ir import walk
from pycuda_tile.tileir.loops.simplify import simplify

N = 512
DTYPES = {"i8": np.int8, "i16": np.int16}


def kernel(kind: str, lines: str) -> str:
    """Stores the low bits of %r, which `lines` compute of %a and %b, widened elements of two arrays."""
    pointers, tile, wide = f"tile<{N}xptr<{kind}>>", f"tile<{N}x{kind}>", f"tile<{N}xi32>"
    places = "".join(
        f"""  %{x}1 = reshape %{x} : tile<ptr<{kind}>> -> tile<1xptr<{kind}>>
  %{x}2 = broadcast %{x}1 : tile<1xptr<{kind}>> -> {pointers}
  %{x}3 = offset %{x}2, %i : {pointers}, {wide} -> {pointers}
"""
        for x in "xyz"
    )
    return f"""entry @k(%x: tile<ptr<{kind}>>, %y: tile<ptr<{kind}>>, %z: tile<ptr<{kind}>>) {{
  %i = iota : {wide}
{places}  %n, %t0 = load_ptr_tko weak %x3 : {pointers} -> {tile}, token
  %m, %t1 = load_ptr_tko weak %y3 : {pointers} -> {tile}, token
  %a = exti %n signed : {tile} -> {wide}
  %b = exti %m unsigned : {tile} -> {wide}
  %one = constant <i32: 1> : {wide}
  %c = constant <i32: -40001> : {wide}
{lines}
  %s = trunci %r : {wide} -> {tile}
  %t2 = store_ptr_tko weak %z3, %s : {pointers}, {tile} -> token
  return
}}
"""


@pytest.mark.parametrize(
    "lines, narrows",
    [
        (f"%r = addi %a, %b overflow<no_signed_wrap> : tile<{N}xi32>", "i8 i16"),
        (f"%d = subi %a, %c : tile<{N}xi32>\n%r = xori %d, %b : tile<{N}xi32>", "i8 i16"),
        (f"%d = andi %a, %b : tile<{N}xi32>\n%r = ori %d, %c : tile<{N}xi32>", "i8 i16"),
        (f"%d = muli %a, %b : tile<{N}xi32>\n%r = addi %d, %d : tile<{N}xi32>", "i16"),
        (f"%d = shri %a, %one signed : tile<{N}xi32>\n%r = addi %d, %b : tile<{N}xi32>", ""),
        (f"%d = maxi %a, %c signed : tile<{N}xi32>\n%r = subi %d, %b : tile<{N}xi32>", ""),
        (f"%r = addi %a, %i : tile<{N}xi32>", ""),
    ],
    ids=["sum", "difference", "bits", "product", "shift", "maximum", "given"],
)
@pytest.mark.parametrize("kind", DTYPES)
def test_low_bits(kind: str, lines: str, narrows: str):
    module = tileir.parse(kernel(kind, lines))
    is_cut_off = any(op.name == "trunci" for op in walk(simplify(module.entries[0]).body))
    assert is_cut_off == (kind not in narrows.split())
    limits = np.iinfo(DTYPES[kind])
    x, y = np.random.default_rng(1).integers(limits.min, limits.max, (2, N), DTYPES[kind], endpoint=True)
    x[:4], y[:4] = [limits.min, limits.max, limits.min, -1], [limits.min, limits.max, -1, limits.min]
    assert_same_results(module, x, y)
