"""Tiles to which each round of a loop adds the same everywhere: which become numbers, with equal results."""

from __future__ import annotations

import numpy as np
import pytest
from pass_results import entry

from pycuda_tile import tileir
from pycuda_tile.tileir.ir import walk
from pycuda_tile.tileir.loops.facts import is_tile
from pycuda_tile.tileir.loops.induction import carry_numbers
from pycuda_tile.tileir.loops.simplify import simplify

POINTERS, INTS = "tile<32xptr<i32>>", "tile<32xi32>"


def moving(name: str, loop: str, step: str, by: str = "%n") -> str:
    """Adds positions to the 32 elements of each round, through pointers that move on; then to the next ones.
    `step` makes %q of the pointers %p and of %b, which is `by` everywhere."""
    body = f"""    %x, %t0 = load_ptr_tko weak %p : {POINTERS} -> {INTS}, token
    %y = addi %x, %i : {INTS}
    %t1 = store_ptr_tko weak %p, %y : {POINTERS}, {INTS} -> token
    %b1 = reshape {by} : tile<i32> -> tile<1xi32>
    %b = broadcast %b1 : tile<1xi32> -> {INTS}
    %ten = constant <i32: 10> : {INTS}
    %j = addi %i, %ten : {INTS}
{step}"""
    loops = {
        "for": f"""  %last, %end = for %r in (%zero to %rounds, step %one) : tile<i32>
      iter_values(%p = %first, %i = %at) -> ({POINTERS}, {INTS}) {{
{body}    continue %q, %j : {POINTERS}, {INTS}
  }}
""",
        "loop": f"""  %last, %end = loop iter_values(%p = %first, %i = %at, %r = %zero) :
      {POINTERS}, {INTS}, tile<i32> -> {POINTERS}, {INTS} {{
    %done = cmpi greater_than_or_equal %r, %rounds, signed : tile<i32> -> tile<i1>
    if %done {{
      break %p, %i : {POINTERS}, {INTS}
    }}
{body}    %s = addi %r, %one : tile<i32>
    %odd = cmpi equal %s, %one, signed : tile<i32> -> tile<i1>
    if %odd {{
      %more = offset %q, %b : {POINTERS}, {INTS} -> {POINTERS}
      continue %more, %j, %s : {POINTERS}, {INTS}, tile<i32>
    }}
    continue %q, %j, %s : {POINTERS}, {INTS}, tile<i32>
  }}
""",
    }
    return f"""entry @{name}(%a: tile<ptr<i32>>, %n: tile<i32>, %rounds: tile<i32>) {{
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %at = iota : {INTS}
  %a1 = reshape %a : tile<ptr<i32>> -> tile<1xptr<i32>>
  %a2 = broadcast %a1 : tile<1xptr<i32>> -> {POINTERS}
  %first = offset %a2, %at : {POINTERS}, {INTS} -> {POINTERS}
{loops[loop]}  %z = addi %end, %end : {INTS}
  %t2 = store_ptr_tko weak %last, %z : {POINTERS}, {INTS} -> token
  return
}}
"""


ONCE = f"    %q = offset %p, %b : {POINTERS}, {INTS} -> {POINTERS}\n"
TWICE = f"""    %o = offset %p, %b : {POINTERS}, {INTS} -> {POINTERS}
    %c = constant <i64: -3> : tile<32xi64>
    %q = offset %o, %c : {POINTERS}, tile<32xi64> -> {POINTERS}
"""
APART = f"    %q = offset %p, %at : {POINTERS}, {INTS} -> {POINTERS}\n"
KERNELS = {
    "for_once": moving("for_once", "for", ONCE),
    "for_twice": moving("for_twice", "for", TWICE, "%r"),
    "loop_once": moving("loop_once", "loop", ONCE),
    "loop_twice": moving("loop_twice", "loop", TWICE, "%rounds"),
    "apart": moving("apart", "for", APART),
}


def carried(text: str) -> list[bool]:
    """For each value that the loop of a kernel carries, whether it is a tile."""
    loop = next(op for op in simplify(entry(text)).body.ops if op.name in ("for", "loop"))
    return [is_tile(value) for value in loop.operands["initValues"]]


@pytest.mark.parametrize("name", KERNELS)
def test_which_tiles_become_numbers(name: str):
    others = [False] if name.startswith("loop") else []
    assert carried(KERNELS[name]) == [name == "apart", False, *others]


def test_results():
    module = tileir.parse("\n".join(KERNELS.values()))
    fused, plain = (tileir.build(module, optimize=each, options=("-O2",)) for each in (True, False))
    for name in KERNELS:
        for n, rounds in ((32, 3), (40, 1), (8, 0)):
            arrays = [np.arange(400, dtype=np.int32) for _ in range(2)]
            for built, x in zip((fused, plain), arrays, strict=True):
                built.kernel(name)[1](x[50:], n, rounds)
            assert (arrays[0] == arrays[1]).all(), (name, n, rounds)
            assert (arrays[0] != np.arange(400)).any()


def test_tiles_that_stay_are_left_alone():
    """Of floats too, where to add zero makes -0 another number."""
    text = """entry @k(%n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %x = constant <f32: -0.0> : tile<64xf32>
  %y = for %i in (%zero to %n, step %n) : tile<i32> iter_values(%c = %x) -> (tile<64xf32>) {
    continue %c : tile<64xf32>
  }
  return
}
"""
    body = entry(text).body
    carry_numbers(body)
    assert not [op for op in walk(body) if op.name == "addi"]
