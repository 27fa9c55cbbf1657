"""Undefined behaviour of Tile IR's integers in checked builds; an operation reads them with its sign."""

from __future__ import annotations

import numpy as np
import pytest

from pycuda_tile import UndefinedBehaviorError, tileir

OPERATIONS = {
    "floor": "divi %x, %y signed rounding<negative_inf>",
    "quotient": "divi %x, %y unsigned",
    "remainder": "remi %x, %y signed",
    "left": "shli %x, %y",
    "right": "shri %x, %y unsigned",
}


@pytest.fixture(scope="module")
def built():
    entries = [
        f"""entry @{name}(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>) {{
            %t0 = make_token : token
            %x, %t1 = load_ptr_tko weak %a token=%t0 : tile<ptr<i32>> -> tile<i32>, token
            %y, %t2 = load_ptr_tko weak %b token=%t1 : tile<ptr<i32>> -> tile<i32>, token
            %z = {text} : tile<i32>
            %t3 = store_ptr_tko weak %a, %z token=%t2 : tile<ptr<i32>>, tile<i32> -> token
        }}"""
        for name, text in OPERATIONS.items()
    ]
    return tileir.build(tileir.parse(f"cuda_tile.module @m {{ {' '.join(entries)} }}"), checked=True)


@pytest.mark.parametrize(
    ("name", "x", "y", "kind"),
    [
        ("floor", 1, 0, "division-by-zero"),
        ("floor", -(2**31), -1, "integer-overflow"),
        ("quotient", -(2**31), -1, None),
        ("quotient", 1, 0, "division-by-zero"),
        ("remainder", 5, 0, "division-by-zero"),
        ("left", 1, 32, "shift-range"),
        ("left", 1, 31, None),
        ("right", 1, -1, "shift-range"),
    ],
)
def test_integers(built, name, x, y, kind) -> None:
    a, b = np.array([x], np.int32), np.array([y], np.int32)
    if kind is None:
        built[name][1](a, b)
        return
    with pytest.raises(UndefinedBehaviorError) as caught:
        built[name][1](a, b)
    assert caught.value.kind == kind
    assert a[0] == x
