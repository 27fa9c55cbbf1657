"""Reductions [2.6] against the NumPy reference, along every dimension, for shapes held in different ways."""

from __future__ import annotations

import numpy as np
import pytest
from cases import PORTIONS, Case, assert_close, assert_same_bits, portion_of, run
from targets import ALL

from pycuda_tile import reference, spec

# Replicated, one element per thread, or many per thread; short and long along each dimension.
SHAPES = [
    (1,),
    (2,),
    (16,),
    (1024,),
    (4, 8),
    (64, 4),
    (4, 256),
    (1, 1),
    (2, 8, 16),
    (16, 1, 32),
    (2, 4, 2, 8),
]
BEYOND_SCRATCH_MEMORY = (128, 512)
ROWS = [row for row in spec.load("reductions") if row.kind == "reduction" and not row.modes]


def _values(row, dtype, shape, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if dtype == np.bool_:
        return rng.random(shape) < 0.9
    if np.issubdtype(dtype, np.floating):
        return rng.standard_normal(shape).astype(dtype)
    # Small enough that no order of additions or multiplications overflows.
    high = 2 if row.name == "prod" else 100
    return rng.integers(1 if row.name == "prod" else -100, high, shape).astype(dtype)


def _types(row) -> list:
    if row.elements == "bool":
        return [np.dtype(bool), np.dtype(np.int32), np.dtype(np.float32)]
    if row.elements == "integral":
        return [np.dtype(np.int32), np.dtype(np.uint8), np.dtype(bool)]
    return [np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.float32), np.dtype(np.float64)]


def _cases(row, shapes) -> list[tuple[Case, np.ndarray, bool]]:
    made = []
    function = getattr(reference, row.name)
    for number, shape in enumerate(shapes):
        dtype = _types(row)[number % len(_types(row))]
        x = _values(row, dtype, shape, number)
        for d in range(len(shape)):
            expected = function(x, d)
            exact = not np.issubdtype(dtype, np.floating) or row.name not in ("sum", "prod")
            call = f"ct::{row.name}(x0, {d}_ic)" if d % 2 else f"ct::{row.name}<{d}>(x0)"
            made.append((Case(call, [x], expected.shape, expected.dtype), expected, exact))
    return made


@pytest.mark.parametrize("portion", PORTIONS)
def test_row_agrees_with_reference(portion, target):
    every = [entry for row in ROWS for entry in _cases(row, SHAPES)]
    _check(portion_of(every, portion, 6, list(ALL.values()).index(target)), target)


@pytest.mark.parametrize(
    "row",
    [pytest.param(row, id=row.name, marks=() if row.name == "sum" else pytest.mark.wide) for row in ROWS],
)
@pytest.mark.parametrize("d", [0, pytest.param(1, marks=pytest.mark.wide)])
def test_tiles_beyond_scratch_memory(row, d, target):
    _check([_cases(row, [BEYOND_SCRATCH_MEMORY])[d]], target)


def _check(made: list[tuple[Case, np.ndarray, bool]], target) -> None:
    run([case for case, _, _ in made], target, options=("-O1",))
    for case, expected, exact in made:
        if exact:
            assert_same_bits(case, expected)
        else:
            # Each of the n - 1 additions has an error of at most half an ulp of a partial sum of magnitudes.
            unit = np.finfo(case.dtype).eps / 2
            n = case.inputs[0].size // max(expected.size, 1)
            magnitude = float(np.max(np.sum(np.abs(case.inputs[0].astype(np.float64)), axis=None)))
            assert_close(
                case, expected, relative=n * unit, absolute=n * unit * magnitude / max(expected.size, 1)
            )


def test_max_ignores_nan_and_orders_zeros(target):
    x = np.array(
        [[np.nan, 1.0, -np.inf, 0.5], [np.nan, np.nan, np.nan, -np.inf], [-0.0, 0.0, -0.0, -0.0]], np.float32
    )
    x = np.concatenate([x, np.full((1, 4), -0.0, np.float32)])
    wide = np.tile(x, 16).astype(np.float64)  # in whole vectors
    made = [
        (Case(f"ct::reduce_{name}(x0, 1_ic)", [operand], (4, 1), operand.dtype), expected)
        for operand in (x, np.tile(x, 16), wide)
        for name, expected in (("max", [1.0, -np.inf, 0.0, -0.0]), ("min", [-np.inf, -np.inf, -0.0, -0.0]))
    ]
    nothing = Case("ct::reduce_max(x0, 1_ic)", [np.full((1, 64), np.nan, np.float32)], (1, 1), np.float32)
    *_, of_nan = run([*(case for case, _ in made), nothing], target)
    for case, expected in made:
        assert_same_bits(case, np.array(expected, case.dtype).reshape(4, 1))
    assert np.isnan(of_nan.result).all()


@pytest.mark.every_target
def test_bits_of_rows(target):
    x = np.random.default_rng(6).integers(-1 << 31, 1 << 31, (4, 32)).astype(np.int32)
    names = ["reduce_bitand", "reduce_bitor", "reduce_bitxor"]
    cases = [Case(f"ct::{name}(x0, 1_ic)", [x | 5], (4, 1), np.int32) for name in names]
    run(cases, target)
    for case, name in zip(cases, names, strict=True):
        assert_same_bits(case, getattr(reference, name)(case.inputs[0], 1))


def test_many_short_rows(target):
    rng = np.random.default_rng(5)
    special = [np.nan, -0.0, 0.0, np.inf, -np.inf, 1.5, -2.0, 6e-8]
    made = []
    for columns in (2, 8, 16, 32):  # sums of integers are exact in any order
        numbers = rng.integers(-8, 9, (64, columns)).astype(np.float16)
        extremes = rng.choice(special, (64, columns))
        made += [("sum", numbers), ("prod", np.sign(numbers)), ("reduce_max", extremes.astype(np.float16))]
        made += [("reduce_max", extremes.astype(np.float32)), ("reduce_min", extremes)]
    cases = [Case(f"ct::{name}(x0, 1_ic)", [x], (64, 1), x.dtype) for name, x in made]
    run(cases, target)
    for case, (name, x) in zip(cases, made, strict=True):
        assert_same_bits(case, getattr(reference, name)(x, 1))


def test_sum_of_bools_is_modulo_two(target):
    row = np.array([True, True, True, False])
    columns = np.arange(128).reshape(8, 16) % 7 < 5
    wanted = [np.array([True]), columns.sum(0, keepdims=True) % 2 == 1]
    cases = [
        Case("ct::sum(x0, 0_ic)", [x], each.shape, bool)
        for x, each in zip((row, columns), wanted, strict=True)
    ]
    for case, each in zip(run(cases, target), wanted, strict=True):
        assert_same_bits(case, each)
