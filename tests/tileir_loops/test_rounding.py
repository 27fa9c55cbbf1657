"""Half and bfloat16 stay floats from one operation of a strip to the next, with the same results."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from pass_results import assert_same_results

from pycuda_tile import tileir
from pycuda_tile.tileir.loops.translate import fuse

DTYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}
BITS = [
    0x0000,
    0x8000,
    0x0001,
    0x8001,
    0x03FF,
    0x0400,
    0x007F,
    0x0080,
    0x3C00,
    0x3F80,
    0x7BFF,
    0x7C00,
    0xFC00,
]
BITS += [0x7C01, 0x7E00, 0xFFFF, 0x7F7F, 0x7F80, 0xFF80, 0x7F81, 0x7FFF]  # of both types, NaN among them
#: How many strips are rounded, and how %r is made of %x and %y.
CHAINS = {
    "arithmetic": (
        3,
        """  %a = mulf %x, %y : {tile}
  %b = addf %a, %x : {tile}
  %c = divf %b, %y : {tile}
  %r = subf %c, %a : {tile}
""",
    ),
    "functions": (
        2,
        """  %a = absf %x : {tile}
  %b = sqrt %a : {tile}
  %c = exp %b : {tile}
  %d = negf %c : {tile}
  %e = maxf %d, %y : {tile}
  %r = tanh %e : {tile}
""",
    ),
    "conversions": (
        1,
        """  %a = addf %x, %y : {tile}
  %w = ftof %a : {tile} -> {wide}
  %f = mulf %w, %w : {wide}
  %b = ftof %f : {wide} -> {tile}
  %r = mulf %b, %x : {tile}
""",
    ),
    "bits": (
        0,
        """  %a = subf %x, %y : {tile}
  %w = ftof %a : {tile} -> {wide}
  %i = bitcast %w : {wide} -> tile<{shape}xi32>
  %n = constant <i32: 16> : tile<{shape}xi32>
  %j = shri %i, %n unsigned : tile<{shape}xi32>
  %k = trunci %j : tile<{shape}xi32> -> tile<{shape}xi16>
  %r = bitcast %k : tile<{shape}xi16> -> {tile}
""",
    ),
    "rows": (
        1,
        """  %a = mulf %x, %y : {tile}
  %b = addf %a, %y : {tile}
  %s = reduce %b dim=1 identities=[-inf : {kind}] : {tile} -> tile<{rows}x{kind}>
    (%i: tile<{kind}>, %j: tile<{kind}>) {{
    %t = maxf %i, %j : tile<{kind}>
    yield %t : tile<{kind}>
  }}
  %s1 = reshape %s : tile<{rows}x{kind}> -> tile<{rows}x1x{kind}>
  %most = broadcast %s1 : tile<{rows}x1x{kind}> -> {tile}
  %r = subf %b, %most : {tile}
""",
    ),
}


def kernel(kind: str, shape: str, chain: str) -> str:
    rows, columns = shape.split("x")
    tensor = f"tensor_view<{shape}x{kind}, strides=[{columns},1]>"
    view, tile = f"partition_view<tile=({shape}), {tensor}>", f"tile<{shape}x{kind}>"
    views = "".join(
        f"""  %t_{x} = make_tensor_view %{x}, shape = [{rows}, {columns}], strides = [{columns}, 1] : {tensor}
  %v_{x} = make_partition_view %t_{x} : {view}
"""
        for x in "pqo"
    )
    lines = CHAINS[chain][1].format(tile=tile, wide=f"tile<{shape}xf32>", kind=kind, rows=rows, shape=shape)
    pointers = ", ".join(f"%{x}: tile<ptr<{kind}>>" for x in "pqo")
    return f"""entry @k({pointers}) {{
  %zero = constant <i32: 0> : tile<i32>
{views}  %x, %t0 = load_view_tko weak %v_p[%zero, %zero] : {view}, tile<i32> -> {tile}, token
  %y, %t1 = load_view_tko weak %v_q[%zero, %zero] : {view}, tile<i32> -> {tile}, token
{lines}  %t2 = store_view_tko weak %r, %v_o[%zero, %zero] : {tile}, {view}, tile<i32> -> token
  return
}}
"""


@pytest.mark.parametrize("shape", ["4x64", "32x16", "64x8"])
@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("kind", DTYPES)
def test_chains(kind: str, chain: str, shape: str):
    module = tileir.parse(kernel(kind, shape, chain))
    is_fused = "loops::load<strip" in (text := fuse(module)[0])
    assert text.count("loops::rounded<") == (CHAINS[chain][0] if is_fused else 0)
    rows, columns = map(int, shape.split("x"))
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal((2, rows, columns)).astype(np.float32).astype(DTYPES[kind])
    for array in (x, y):
        flat, places = array.reshape(-1).view(np.uint16), rng.permutation(rows * columns)[: 4 * len(BITS)]
        flat[places] = 4 * BITS
    assert_same_results(module, x, y)
