"""What loads beyond a tensor yield, by element type and padding: as in machine code of NVIDIA's tools."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from pycuda_tile import tileir
from pycuda_tile.tileir.elements import DTYPES, HALF_BYTE

#: The bits for each padding. NVIDIA's tools do not compile those in brackets, which are our choice: formats
#: without an infinity have NaN instead, and f4E2M1FN has its largest numbers.
EXPECTED = {
    # zero, neg_zero, nan, pos_inf, neg_inf
    "tf32": [0, 0x80000000, 0x7FC00000, 0x7F800000, 0xFF800000],
    "bf16": [0, 0x8000, 0x7FC0, 0x7F80, 0xFF80],
    "f8E5M2": [0, 0x80, 0x7E, 0x7C, 0xFC],
    "f8E4M3FN": [0, 0x80, 0x7F, (0x7F), (0x7F)],
    "f8E8M0FNU": [0, (0), 0xFF, (0xFF), (0xFF)],
    "fnv8E5M3FNU": [0, 0, 0xFF, 0xFF, (0xFF)],
    "f4E2M1FN": [0, 0x88, (0x77), (0x77), (0xFF)],
}
PADDINGS = ["zero", "neg_zero", "nan", "pos_inf", "neg_inf"]


def entry(element: str, padding: str) -> str:
    """Loads eight elements of a tensor of six, and stores all in a tensor of eight."""
    some, whole = (f"tensor_view<{n}x{element}, strides=[1]>" for n in (6, 8))
    padded = f"partition_view<tile=(8), padding_value = {padding}, {some}>"
    plain = f"partition_view<tile=(8), {whole}>"
    return f"""entry @{element}_{padding}(%p: tile<ptr<{element}>>) {{
  %i = constant <i32: 0> : tile<i32>
  %t = make_tensor_view %p, shape = [6], strides = [1] : {some}
  %v = make_partition_view %t : {padded}
  %x, %a = load_view_tko weak %v[%i] : {padded}, tile<i32> -> tile<8x{element}>, token
  %u = make_tensor_view %p, shape = [8], strides = [1] : {whole}
  %w = make_partition_view %u : {plain}
  %b = store_view_tko weak %x, %w[%i] token = %a : tile<8x{element}>, {plain}, tile<i32> -> token
}}
"""


@functools.cache
def built():
    text = "".join(entry(element, padding) for element in EXPECTED for padding in PADDINGS)
    return tileir.build(tileir.parse(text), options=("-O1",))


@pytest.mark.parametrize("way", ["interpret", "cpu"])
@pytest.mark.parametrize("element", EXPECTED)
def test_padding(element: str, way: str) -> None:
    dtype = np.dtype(np.uint8) if element == HALF_BYTE else DTYPES[element]
    raw = f"u{dtype.itemsize}"
    for padding, expected in zip(PADDINGS, EXPECTED[element], strict=True):
        array = np.full(8, 0x11, raw).view(dtype)
        if way == "interpret":
            tileir.interpret(tileir.parse(entry(element, padding)), f"{element}_{padding}", 1, array)
        else:
            built().kernel(f"{element}_{padding}")[1](array)
        first, last = (3, 4) if element == HALF_BYTE else (6, 8)
        bits = array.view(raw)
        assert set(bits[:first].tolist()) == {0x11}
        found = array[first:last]
        if element == "bf16" and padding == "nan":  # whose bits are not specified
            assert np.isnan(found.astype(np.float32)).all()
        else:
            assert set(bits[first:last].tolist()) == {expected}
