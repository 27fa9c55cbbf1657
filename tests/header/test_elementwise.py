"""Elementwise operations [2.2] against the NumPy reference: every row and element type, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from cases import Case, assert_same_bits, run
from values import BOOL, FLOATS, INTEGERS, pairs

from pycuda_tile import reference, spec
from pycuda_tile.errors import UndefinedBehaviorError

SHAPE = (4, 32)
SIZE = 128

# What NumPy calls the bitwise operations, which need no reference of their own.
_NUMPY = {
    "bit_and": np.bitwise_and, "bit_or": np.bitwise_or, "bit_xor": np.bitwise_xor, "bit_not": np.invert,
    "shift_left": np.left_shift, "shift_right": np.right_shift,
}  # fmt: skip


def _reference(row):
    return _NUMPY.get(row.function) or getattr(reference, row.function)


def _types(row) -> list[np.dtype]:
    if row.elements == "integral":
        return [*INTEGERS, BOOL]
    return [*INTEGERS, *FLOATS, BOOL]


def _is_defined(function, *operands) -> bool:
    try:
        function(*operands)
    except UndefinedBehaviorError:
        return False
    return True


def _operands(row, dtype: np.dtype) -> list[np.ndarray]:
    """Operands of one row; pairs whose result the manual leaves undefined are replaced by ones."""
    a, b = pairs(dtype, SIZE, seed=len(row.id))
    operands = [a, b][: int(row.operands)]
    if row.function.startswith("shift"):
        operands[1] = (np.arange(SIZE) % (dtype.itemsize * 8 if dtype != BOOL else 1)).astype(dtype)
        return operands
    function = _reference(row)
    defined = np.array([_is_defined(function, *values) for values in zip(*operands, strict=True)])
    return [np.where(defined, x, np.ones((), dtype)).astype(dtype) for x in operands]


def _expression(row) -> str:
    if row.name:
        return f"ct::{row.name}({', '.join(f'x{i}' for i in range(int(row.operands)))})"
    return f"{row.operator}x0" if row.operands == "1" else f"x0 {row.operator} x1"


def _cases(family: str) -> list[tuple[Case, np.ndarray]]:
    made = []
    # Overloads with modes have tests of their own.
    for row in (row for row in spec.load("elementwise") if row.family == family and not row.modes):
        for dtype in _types(row):
            operands = [x.reshape(SHAPE) for x in _operands(row, dtype)]
            with np.errstate(all="ignore"):
                expected = _reference(row)(*operands)
            name = f"{row.id} on {dtype}"
            made.append((Case(_expression(row), operands, SHAPE, expected.dtype, name), expected))
    return made


@pytest.mark.parametrize("family", ["arithmetic", "comparison", "bitwise"])
def test_row_agrees_with_reference(family, target):
    made = _cases(family)
    assert len(made) > 50
    run([case for case, _ in made], target, options=("-O1",))
    for case, expected in made:
        assert_same_bits(case, expected)


FLOAT = np.dtype(np.float32)
BROADCASTS = [
    # shape of lhs, of rhs, and of the result [1.7.3]
    ((), (8,), (8,)),
    ((4, 1), (), (4, 1)),
    ((1,), (16,), (16,)),
    ((4, 1), (1, 8), (4, 8)),
    ((64, 1), (64, 4), (64, 4)),
    ((8,), (4, 8), (4, 8)),
    ((2, 1, 8), (4, 1), (2, 4, 8)),
    ((16, 1, 4, 1), (1, 2, 1, 8), (16, 2, 4, 8)),
    ((1, 1), (1, 1), (1, 1)),
    ((2, 64), (1, 64), (2, 64)),
]


def test_operands_are_broadcast(target):
    rng = np.random.default_rng(7)
    cases = []
    for left, right, shape in BROADCASTS:
        a, b = rng.standard_normal(left).astype(FLOAT), rng.standard_normal(right).astype(FLOAT)
        cases.append(Case("x0 - x1", [np.asarray(a), np.asarray(b)], shape, FLOAT))
    for case in run(cases, target):
        assert_same_bits(case, np.broadcast_to(case.inputs[0] - case.inputs[1], case.shape).astype(FLOAT))


# lhs, rhs, element type of lhs + rhs where both are tiles [1.7.4]
COMMON_TYPES = [
    ("int32", "float32", "float32"),
    ("int64", "float32", "float32"),
    ("float32", "float64", "float64"),
    ("int8", "int16", "int16"),
    ("uint8", "int32", "int32"),
    ("uint16", "uint64", "uint64"),
    ("bool", "int32", "int32"),
    ("bool", "uint8", "uint8"),
    ("bool", "float64", "float64"),
]


def test_operands_are_converted_to_the_common_type(target):
    cases = []
    for left, right, common in COMMON_TYPES:
        a = np.arange(8).astype(left)
        b = (np.arange(8) * 3 % 5).astype(right)
        cases.append(Case("x0 + x1", [a, b], (8,), common, f"{left} + {right}"))
    for case in run(cases, target):
        a, b = (x.astype(case.dtype) for x in case.inputs)
        assert_same_bits(case, a + b)


def test_a_scalar_takes_the_type_of_the_tile(target):
    tile, number = np.arange(8, dtype=np.float32), np.asarray(np.int32(16777217))
    [case] = run([Case("x0 * x1", [tile, number], (8,), np.float32)], target)
    assert_same_bits(case, tile * np.float32(16777217))


def test_unary_plus_promotes(target):
    values = np.array([-128, 127, 0, 5], np.int8)
    [case] = run([Case("+x0", [values], (4,), np.int32, "2.2.2/operator+")], target)
    assert_same_bits(case, values.astype(np.int32))


def test_fma_rounds_once(target):
    # In float, (1 + 2^-12)^2 - 1 - 2^-11 is 2^-24 exactly; rounding the product first gives 0.
    one = np.float32(1 + 2.0**-12)
    x = np.full((8,), one)
    acc = np.full((8,), np.float32(-(1 + 2.0**-11)))
    fused, separate = run(
        [
            Case("ct::fma(x0, x1, x2)", [x, x, acc], (8,), np.float32),
            Case("x0 * x1 + x2", [x, x, acc], (8,), np.float32),
        ],
        target,
    )
    assert_same_bits(fused, np.full((8,), np.float32(2.0**-24)))
    assert_same_bits(separate, np.zeros((8,), np.float32))
