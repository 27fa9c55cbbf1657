"""Conditionals that choose between tiles which are made anyway: which become `select`, with equal results."""

from __future__ import annotations

import numpy as np
import pytest
from pass_results import entry

from pycuda_tile import tileir
from pycuda_tile.tileir.ir import walk
from pycuda_tile.tileir.loops.simplify import simplify

VIEW = "partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>"
KIND = "tile<64xf32>"


def masked(name: str = "masked", then: str = "", otherwise: str = "", twice: str = "mulf %x, %x") -> str:
    """Writes what one branch makes of %y, or what the other does; `twice` makes %y of the elements."""
    then = (
        then
        or f"""    %zero = constant <f32: -0.5> : {KIND}
    %less = cmpf less_than ordered %y, %zero : {KIND} -> tile<64xi1>
    %chosen = select %less, %zero, %y : tile<64xi1>, {KIND}
    yield %chosen : {KIND}
"""
    )
    otherwise = otherwise or f"    yield %y : {KIND}\n"
    return f"""entry @{name}(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %size: tile<i32>, %n: tile<i32>) {{
  %i, %j, %k = get_tile_block_id : tile<i32>
  %ta = make_tensor_view %a, shape = [%size], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %va = make_partition_view %ta : {VIEW}
  %tb = make_tensor_view %b, shape = [%size], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %vb = make_partition_view %tb : {VIEW}
  %x, %t0 = load_view_tko weak %va[%i] : {VIEW}, tile<i32> -> {KIND}, token
  %y = {twice} : {KIND}
  %c = cmpi less_than %i, %n, signed : tile<i32> -> tile<i1>
  %z = if %c -> ({KIND}) {{
{then}  }} else {{
{otherwise}  }}
  %w = addf %z, %z : {KIND}
  %t1 = store_view_tko weak %w, %vb[%i] : {KIND}, {VIEW}, tile<i32> -> token
  return
}}
"""


KERNELS = {
    "masked": masked(),
    "other_branch": masked(
        "other_branch", f"    yield %y : {KIND}\n", f"    %o = negf %y : {KIND}\n    yield %o : {KIND}\n"
    ),
}
#: Branches, or what is before them, for which the conditional stays.
STAY = {
    "takes long": {"then": f"    %e = exp %y : {KIND}\n    yield %e : {KIND}\n"},
    "might end the program": {
        "then": f"""    %q = constant <i32: 7> : tile<64xi32>
    %p = iota : tile<64xi32>
    %d = divi %q, %p signed : tile<64xi32>
    %e = itof %d signed : tile<64xi32> -> {KIND}
    yield %e : {KIND}
"""
    },
    "has effects": {"then": f'    %t2 = print_tko "%f", %y : {KIND} -> token\n    yield %y : {KIND}\n'},
    "saves work": {
        "otherwise": f"    yield %x : {KIND}\n",
        "then": f"    %o = negf %x : {KIND}\n    yield %o : {KIND}\n",
    },
}


def conditionals(text: str) -> int:
    return sum(op.name == "if" for op in walk(simplify(entry(text)).body))


@pytest.mark.parametrize("name", KERNELS)
def test_choices_become_operations(name: str):
    assert conditionals(KERNELS[name]) == 0


@pytest.mark.parametrize("why", STAY)
def test_others_stay(why: str):
    assert conditionals(masked(**STAY[why])) == 1


def test_a_tile_that_others_need_stays():
    text = masked().replace("addf %z, %z", "addf %z, %y")
    assert conditionals(text) == 1


def test_results():
    module = tileir.parse("\n".join(KERNELS.values()))
    fused, plain = (tileir.build(module, optimize=each, options=("-O2",)) for each in (True, False))
    x = np.linspace(-3, 3, 300, dtype=np.float32)
    x[:8] = [np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-42, -1e-42]
    for name in KERNELS:
        for n in (0, 2, 9):
            results = []
            for built in (fused, plain):
                out = np.full_like(x, 7)
                built.kernel(name)[5](x, out, x.size, n)
                results.append(out)
            out = np.full_like(x, 7)
            tileir.interpret(module, name, 5, x, out, x.size, n)
            assert results[0].view(np.int32).tolist() == results[1].view(np.int32).tolist()
            np.testing.assert_array_equal(results[0], out)
