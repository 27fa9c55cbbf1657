"""Every elementwise operation on every element type by the open front end, interpreted, bit for bit as the
reference has it. tests/header runs all its other tests so as well, in the wide part."""

from __future__ import annotations

import pytest
from cases import CPP_TYPES, assert_same_bits, run
from elementwise_table import BASIC_FLOATS, INTEGERS, conversions, make_case, operations

OPEN = {"target": "open"}
SAMPLE = 60  # by default one operation in so many


def table(dtype):
    arithmetic = operations(dtype) if dtype in (*INTEGERS, *BASIC_FLOATS) else ()
    return [*arithmetic, *conversions(dtype)]


def check(made) -> None:
    run([case for case, _ in made], OPEN)
    for case, expected in made:
        assert_same_bits(case, expected)


def test_some_operations():
    every = [(operation, dtype) for dtype in CPP_TYPES for operation in table(dtype)]
    check([make_case(operation, dtype, (4, 32)) for operation, dtype in every[7::SAMPLE]])


@pytest.mark.wide
@pytest.mark.parametrize("dtype", CPP_TYPES, ids=str)
def test_every_operation(dtype):
    check([make_case(operation, dtype, (4, 32)) for operation in table(dtype)])
