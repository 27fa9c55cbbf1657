"""Tensors of f4E2M1FN, of which two elements share a byte, read and written in every way."""

from __future__ import annotations

import functools

import ml_dtypes
import numpy as np
import pytest

from pycuda_tile import tileir
from pycuda_tile.errors import ArgumentTypeError, NotAvailableYet

TENSOR = "tensor_view<5x7xf4E2M1FN, strides=[8,1]>"
STRIDED = f"strided_view<tile=(2x4), traversal_strides=[1,3], padding_value = neg_zero, {TENSOR}>"
GATHERED = f"gather_scatter_view<tile=(2x4), {TENSOR}, sparse_dim=0>"
FEW = "tensor_view<3xf4E2M1FN, strides=[1]>"
PARTS = f"partition_view<tile=(4), {FEW}>"
BYTES = "tile<4xptr<i8>>"
MODULE = tileir.parse(f"""
global @numbers <f4E2M1FN: [1.0, -2.0, 3.0, 0.5]> : tile<4xf4E2M1FN>
entry @kernel(%p: tile<ptr<f4E2M1FN>>, %q: tile<ptr<i8>>, %i: tile<i32>, %j: tile<i32>) {{
  %n = constant <i32: 9> : tile<i32>
  %behind = offset %p, %n : tile<ptr<f4E2M1FN>>, tile<i32> -> tile<ptr<f4E2M1FN>>
  %t = make_tensor_view %behind, shape = [5, 7], strides = [8, 1] : {TENSOR}
  %v = make_strided_view %t : {STRIDED}
  %x, %a = load_view_tko weak %v[%i, %j] : {STRIDED}, tile<i32> -> tile<2x4xf4E2M1FN>, token
  %flat = reshape %x : tile<2x4xf4E2M1FN> -> tile<8xf4E2M1FN>
  %b = pack %flat : tile<8xf4E2M1FN> -> tile<4xi8>
  %g = get_global @numbers : tile<ptr<f4E2M1FN>>
  %few = make_tensor_view %g, shape = [3], strides = [1] : {FEW}
  %parts = make_partition_view %few : {PARTS}
  %zero = constant <i32: 0> : tile<i32>
  %y, %c = load_view_tko weak %parts[%zero] : {PARTS}, tile<i32> -> tile<4xf4E2M1FN>, token
  %d = pack %y : tile<4xf4E2M1FN> -> tile<2xi8>
  %e = cat %d, %d dim = 0 : tile<2xi8>, tile<2xi8> -> tile<4xi8>
  %q1 = reshape %q : tile<ptr<i8>> -> tile<1xptr<i8>>
  %q2 = broadcast %q1 : tile<1xptr<i8>> -> {BYTES}
  %counts = iota : tile<4xi32>
  %four = constant <i32: 4> : tile<4xi32>
  %later = addi %counts, %four : tile<4xi32>
  %first = offset %q2, %counts : {BYTES}, tile<4xi32> -> {BYTES}
  %second = offset %q2, %later : {BYTES}, tile<4xi32> -> {BYTES}
  %f = store_ptr_tko weak %first, %b : {BYTES}, tile<4xi8> -> token
  %h = store_ptr_tko weak %second, %e : {BYTES}, tile<4xi8> -> token
  %w = make_gather_scatter_view %t : {GATHERED}
  %rows = constant <i32: [4, 2]> : tile<2xi32>
  %k = store_view_tko weak %x, %w[%rows, %j] token = %a
    : tile<2x4xf4E2M1FN>, {GATHERED}, tile<2xi32>, tile<i32> -> token
}}""")


def halves(data: np.ndarray) -> np.ndarray:
    return np.stack([data & 15, data >> 4], 1).reshape(-1)


@functools.cache
def built(target: str, fused: bool):
    threads = 4 if target == "emulated" else None
    how = {"optimize": "auto"} if fused else {"options": ("-O1",), "num_threads": threads}
    return tileir.build(MODULE, target=target, **how)


@pytest.mark.parametrize(
    "way", ["interpret", "cpu", pytest.param("fused", marks=pytest.mark.wide), "emulated"]
)
@pytest.mark.parametrize("i, j", [(0, 0), (2, 1), (4, 2), (3, 1)])
def test_tiles_at_odd_places(way: str, i: int, j: int) -> None:
    """Tiles that begin in the middle of a byte, and reach beyond the tensor in both directions. A pointer
    moves by whole bytes: 9 elements are 4 bytes."""
    data = np.random.default_rng(i).integers(0, 256, 24).astype(np.uint8)
    array, out = data.copy(), np.zeros(8, np.uint8)
    if way == "interpret":
        tileir.interpret(MODULE, "kernel", 1, array, out, i, j)
    else:
        launch = built("cpu" if way == "fused" else way, way == "fused").kernel("kernel")
        launch[1](array, out, i, j)
    tensor = halves(data)[8:].reshape(5, 8)[:, :7]
    around = np.full((16, 16), 8, np.uint8)
    around[:5, :7] = tensor
    tile = around[i : i + 2, 3 * j : 3 * j + 4]
    np.testing.assert_array_equal(halves(out[:4]), tile.reshape(-1))
    numbers = np.array([1, -2, 3, 0], np.float32).astype(ml_dtypes.float4_e2m1fn).view(np.uint8)
    np.testing.assert_array_equal(halves(out[4:]), np.tile(numbers, 2))
    expected = halves(data)
    for row, line in zip((4, 2), tile, strict=True):
        for column, half in enumerate(line, j):
            if column < 7:
                expected[8 + 8 * row + column] = half
    np.testing.assert_array_equal(halves(array), expected)


def test_elements_of_a_byte_each_are_refused() -> None:
    out, data = np.zeros(8, np.uint8), np.zeros(48, ml_dtypes.float4_e2m1fn)
    with pytest.raises(ArgumentTypeError, match="bytes, with two elements in each, got one of float4_e2m1fn"):
        tileir.interpret(MODULE, "kernel", 1, data, out, 0, 0)


def test_strong_accesses_are_not_translated() -> None:
    text = str(MODULE).replace("load_view_tko weak %v", "load_view_tko relaxed device %v")
    with pytest.raises(NotAvailableYet, match=r"load_view_tko.*: a strong access to elements of which two"):
        tileir.build(tileir.parse(text))
