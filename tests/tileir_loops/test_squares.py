"""Squares as integral powers: loops multiply, with the bits of powers."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.tileir.elements import DTYPES

COUNT = 1024


def squared(kind: str) -> str:
    tile, tensor = f"tile<{COUNT}x{kind}>", f"tensor_view<?x{kind}, strides=[1]>"
    view = f"partition_view<tile=({COUNT}), {tensor}>"
    return f"""entry @square_{kind}(%p: tile<ptr<{kind}>>, %n: tile<i32>) {{
  %t = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> {tensor}
  %v = make_partition_view %t : {view}
  %b, %y, %z = get_tile_block_id : tile<i32>
  %x, %t0 = load_view_tko weak %v[%b] : {view}, tile<i32> -> {tile}, token
  %two = constant <i32: 2> : tile<i32>
  %two1 = reshape %two : tile<i32> -> tile<1xi32>
  %twos = broadcast %two1 : tile<1xi32> -> tile<{COUNT}xi32>
  %s = fpowi %x, %twos : {tile}, tile<{COUNT}xi32>
  %t1 = store_view_tko weak %s, %v[%b] : {tile}, {view}, tile<i32> -> token
  return
}}
"""


@functools.cache
def built(fused: bool) -> pct.Module:
    text = "\n".join(map(squared, ("f32", "f16", "bf16")))
    return tileir.build(tileir.parse(text), optimize=fused)


@pytest.mark.parametrize("kind", ["f32", "f16", "bf16"])
def test_squares(kind: str):
    if kind == "f32":
        bits = np.random.default_rng(0).integers(0, 1 << 32, 1 << 16, np.uint32)
        bits[:6] = 0x7FC00000, 0xFFC00000, 0xFF800001, 0x80000000, 1, 0xFF7FFFFF
    else:
        bits = np.arange(1 << 16).astype(np.uint16)
    products, powers = (bits.copy().view(DTYPES[kind]) for _ in range(2))
    for fused, x in ((True, products), (False, powers)):
        built(fused).kernel(f"square_{kind}")[bits.size // COUNT](x, bits.size)
    assert products.tobytes() == powers.tobytes()
    assert not np.array_equal(products.view(bits.dtype), bits)
