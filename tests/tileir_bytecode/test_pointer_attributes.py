"""Pointers with an attribute work like other pointers: read, written, run and built."""

from __future__ import annotations

import numpy as np
import pytest

from pycuda_tile import tileir
from pycuda_tile.tileir.reading import pointee

DOUBLED = """
entry @doubled(%p: tile<ptr<f32, <none>>>) {
  %i = iota : tile<4xi32>
  %a = reshape %p : tile<ptr<f32, <none>>> -> tile<1xptr<f32, <none>>>
  %b = broadcast %a : tile<1xptr<f32, <none>>> -> tile<4xptr<f32, <none>>>
  %c = offset %b, %i : tile<4xptr<f32, <none>>>, tile<4xi32> -> tile<4xptr<f32, <none>>>
  %x, %t = load_ptr_tko weak %c : tile<4xptr<f32, <none>>> -> tile<4xf32>, token
  %y = addf %x, %x : tile<4xf32>
  %u = store_ptr_tko weak %c, %y token=%t : tile<4xptr<f32, <none>>>, tile<4xf32> -> token
  return
}
"""


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        ("ptr<f32>", "f32"),
        ("ptr<f32, <none>>", "f32"),
        ("ptr<ptr<f32, <none>>>", "ptr<f32, <none>>"),
        ("ptr<ptr<f32>, <multicast>>", "ptr<f32>"),
        ("ptr<ptr<f32, <none>>, <unicast>>", "ptr<f32, <none>>"),
        ("f32", "f32"),
    ],
)
def test_pointee(type_: str, expected: str) -> None:
    assert pointee(type_) == expected


@pytest.mark.parametrize("how", ["interpret", "build"])
def test_run(how: str) -> None:
    m = tileir.read_bytecode(tileir.write_bytecode(tileir.parse(DOUBLED)))
    assert m.version == (13, 4) and str(m.entries[0].params[0].type) == "tile<ptr<f32, <none>>>"
    x = np.arange(4, dtype=np.float32)
    if how == "interpret":
        tileir.interpret(m, "doubled", 1, x)
    else:
        tileir.build(m, target="cpu").kernel("doubled")[1](x)
    assert x.tolist() == [0, 2, 4, 6]
