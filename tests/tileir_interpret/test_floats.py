"""Floating point in the Tile IR interpreter: what it adds to the reference, at the edges."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

from pycuda_tile.tileir.interpreter import floats

NAN, INF = math.nan, math.inf
FLOATS = [np.float16, ml_dtypes.bfloat16, np.float32, np.float64]
SPECIAL = [NAN, -INF, -1.5, -0.0, 0.0, 1.5, INF]


def bits(x: np.ndarray) -> list[int]:
    return x.reshape(-1).view(f"u{x.dtype.itemsize}").tolist()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("ordering", ["ordered", "unordered"])
def test_comparison(ordering: str, dtype) -> None:
    relations = {
        "equal": lambda x, y: x == y,
        "not_equal": lambda x, y: x != y,
        "less_than": lambda x, y: x < y,
        "less_than_or_equal": lambda x, y: x <= y,
        "greater_than": lambda x, y: x > y,
        "greater_than_or_equal": lambda x, y: x >= y,
    }
    for predicate, holds in relations.items():
        for x in SPECIAL:
            for y in SPECIAL:
                unordered = math.isnan(x) or math.isnan(y)
                expected = ordering == "unordered" if unordered else holds(x, y)
                got = floats.cmpf(np.array([x], dtype), np.array([y], dtype), predicate, ordering)
                assert got.tolist() == [expected], (predicate, x, y)


@pytest.mark.parametrize("dtype", FLOATS)
def test_extrema_and_nan(dtype) -> None:
    number, nan = np.array([1.0], dtype), np.array([NAN], dtype)
    negative_nan = np.negative(nan)
    for function in (floats.maxf, floats.minf):
        assert function(number, nan, False, False).tolist() == [1]
        assert function(nan, number, False, False).tolist() == [1]
        for a, b in ((number, nan), (negative_nan, number), (negative_nan, negative_nan)):
            assert bits(function(a, b, True, False)) == bits(np.array([np.nan], dtype))  # the canonical one
    plus, minus = np.array([0.0], dtype), np.array([-0.0], dtype)
    for a, b in ((plus, minus), (minus, plus)):
        assert bits(floats.maxf(a, b, False, False)) == bits(plus)
        assert bits(floats.minf(a, b, True, False)) == bits(minus)


def test_flush_to_zero_keeps_the_sign() -> None:
    tiny = np.float32(1e-40)
    normal = np.finfo(np.float32).tiny
    for value, sign in ((tiny, 0), (-tiny, 1)):
        x = np.array([value])
        for result in (
            floats.addf(x, np.array([-0.0 if sign else 0.0], np.float32), "nearest_even", True),
            floats.mulf(x, np.array([1], np.float32), "nearest_even", True),
            floats.maxf(x, x, False, True),
            floats.sqrt(x, "nearest_even", True),
        ):
            assert bits(result) == [sign << 31]
    halved = floats.mulf(np.array([-normal]), np.array([0.5], np.float32), "nearest_even", True)
    assert bits(halved) == [1 << 31]
    kept = floats.mulf(np.array([-normal]), np.array([0.5], np.float32), "nearest_even", False)
    assert kept[0] == -normal / 2


def test_directed_rounding_brackets_a_third() -> None:
    one, three = np.array([1.0], np.float32), np.array([3.0], np.float32)
    down = floats.divf(one, three, "negative_inf", False)[0]
    up = floats.divf(one, three, "positive_inf", False)[0]
    assert float(down) < 1 / 3 < float(up)
    assert np.nextafter(down, np.float32(1)) == up
    assert floats.divf(-one, three, "zero", False)[0] == -down
    assert floats.subf(one, one, "negative_inf", False).tobytes() == np.array([-0.0], np.float32).tobytes()


def test_fma_rounds_once() -> None:
    x = np.array([1 + 2.0**-12], np.float32)
    product = np.array([-(1 + 2.0**-11)], np.float32)
    assert floats.fma(x, x, product, "nearest_even", False).tolist() == [2.0**-24]


@pytest.mark.parametrize(
    "x, y, expected",
    [
        *((5.5, 2, 1.5), (-5.5, 2, -1.5), (5.5, -2, 1.5), (3, INF, 3)),
        *((1, 0, NAN), (INF, 2, NAN), (INF, INF, NAN), (NAN, 1, NAN)),
    ],
)
def test_remainder_is_that_of_c(x: float, y: float, expected: float) -> None:
    got = floats.BINARY["remf"](np.array([x], np.float32), np.array([y], np.float32))
    assert np.array_equal(got, np.array([expected], np.float32), equal_nan=True)


def test_powers() -> None:
    base = np.array([2, -2, -2, 0, -1, 10], np.float32)
    exponent = np.array([10, 3, -2, 0, 2**31 - 1, -38], np.int32)
    got = floats.fpowi(base, exponent)
    assert got[:5].tolist() == [1024, -8, 0.25, 1, -1]
    assert got[5] == np.float32(1e-38)


def test_atan2_has_the_numerator_first() -> None:
    y, x = np.array([1.0, -1.0, 0.0, -0.0]), np.array([0.0, -1.0, -1.0, -1.0])
    expected = [math.atan2(a, b) for a, b in zip(y, x, strict=True)]
    assert floats.BINARY["atan2"](y, x).tolist() == pytest.approx(expected, rel=1e-15)
