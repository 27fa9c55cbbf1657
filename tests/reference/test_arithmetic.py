"""The reference's arithmetic against other definitions: neighbouring values, fractions, Python integers."""

from __future__ import annotations

import math
import operator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pycuda_tile import reference
from pycuda_tile.errors import UndefinedBehaviorError

SOME = settings(max_examples=25)

MODES = ["round_ties_to_even", "round_toward_zero", "round_toward_negative", "round_toward_positive"]
FLOATS = [np.float16, np.float32, np.float64]
OPERATIONS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv}


def floats(dtype) -> st.SearchStrategy:
    """All values of a type except NaN, as scalars, including subnormals, zeros and infinities."""
    width = 8 * np.dtype(dtype).itemsize
    return st.floats(width=width, allow_nan=False).map(dtype)


def is_rounded(result, exact: Fraction, mode: str) -> bool:
    """Whether `result` is `exact` rounded, judged by its neighbours among the values of its type."""
    dtype = type(result)
    beyond = Fraction(2) ** np.finfo(dtype).maxexp  # the number that would follow the largest value

    def value(x) -> Fraction:
        return (beyond if x > 0 else -beyond) if np.isinf(x) else Fraction(float(x))

    if mode == "round_toward_zero":
        mode = "round_toward_negative" if exact > 0 else "round_toward_positive"
    if abs(exact) >= beyond:
        keeps_finite = mode == ("round_toward_negative" if exact > 0 else "round_toward_positive")
        return abs(result) == (np.finfo(dtype).max if keeps_finite else np.inf) and (result > 0) == (
            exact > 0
        )
    with np.errstate(over="ignore"):
        below, above = np.nextafter(result, dtype(-np.inf)), np.nextafter(result, dtype(np.inf))
    low, here, high = value(below), value(result), value(above)
    if mode == "round_toward_negative":
        return here <= exact < high
    if mode == "round_toward_positive":
        return low < exact <= here
    even = int(np.asarray(result).view(f"u{result.itemsize}")) % 2 == 0
    low, high = (low + here) / 2, (here + high) / 2
    return low < exact < high or (even and exact in (low, high))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", OPERATIONS)
@SOME
@given(data=st.data())
def test_rounding_is_to_the_right_neighbour(name, dtype, mode, data):
    a, b = data.draw(floats(dtype)), data.draw(floats(dtype))
    result = getattr(reference, name)(a, b, rounding=mode)
    assert type(result) is dtype
    if np.isinf(a) or np.isinf(b) or (name == "div" and b == 0):
        with np.errstate(all="ignore"):
            np.testing.assert_equal(result, OPERATIONS[name](a, b))
        return
    exact = OPERATIONS[name](Fraction(float(a)), Fraction(float(b)))
    assert is_rounded(result, exact, mode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", FLOATS)
@SOME
@given(data=st.data())
def test_fma_rounds_once(dtype, mode, data):
    a, b, c = (data.draw(floats(dtype)) for _ in range(3))
    if np.isinf([a, b, c]).any():
        return
    result = reference.fma(a, b, c, rounding=mode)
    assert is_rounded(result, Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c)), mode)


@pytest.mark.parametrize("dtype", FLOATS)
def test_default_rounding_is_ties_to_even(dtype):
    half_step = dtype(np.finfo(dtype).eps) / 2
    assert reference.add(dtype(1), half_step) == 1
    assert reference.add(dtype(1) + dtype(np.finfo(dtype).eps), half_step) == 1 + 2 * np.finfo(dtype).eps


def test_manual_examples_of_modes():
    epsilon = np.float32(2.0**-23)
    assert reference.add(np.float32(8), 5 * epsilon, rounding="round_toward_negative") == 8
    difference = reference.sub(
        np.float32(float.fromhex("0x1.1p-126")), np.float32(2.0**-126), subnormals="round_subnormals_to_zero"
    )
    assert difference == 0


@pytest.mark.parametrize("mode", MODES)
def test_sign_of_a_sum_that_cancels(mode):
    one, zero = np.float32(1), np.float32(0)
    negative = mode == "round_toward_negative"
    assert np.signbit(reference.add(one, -one, rounding=mode)) == negative
    assert np.signbit(reference.sub(one, one, rounding=mode)) == negative
    assert np.signbit(reference.fma(one, one, -one, rounding=mode)) == negative
    assert not np.signbit(reference.add(zero, zero, rounding=mode))
    assert np.signbit(reference.add(-zero, -zero, rounding=mode))


@pytest.mark.parametrize("sign", [1, -1])
def test_subnormal_operands_and_results_become_zeros(sign):
    subnormal = np.float32(sign * 1e-40)
    result = reference.add(subnormal, np.float32(sign * 0.0), subnormals="round_subnormals_to_zero")
    assert result == 0 and np.signbit(result) == (sign < 0)
    assert reference.mul(subnormal, np.float32(1e30), subnormals="round_subnormals_to_zero") == 0
    assert reference.mul(subnormal, np.float32(1e30)) != 0


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64])
@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "ceildiv", "floordiv", "remainder", "mulhi"])
@SOME
@given(data=st.data())
def test_integers(name, dtype, data):
    info = np.iinfo(dtype)
    numbers = st.one_of(st.integers(-3, 3), st.integers(info.min, info.max)).filter(
        lambda v: info.min <= v <= info.max
    )
    a, b = data.draw(numbers), data.draw(numbers)
    if name in ("div", "ceildiv", "floordiv", "remainder") and b == 0:
        with pytest.raises(UndefinedBehaviorError) as caught:
            getattr(reference, name)(dtype(a), dtype(b))
        assert caught.value.kind == "division-by-zero"
        return
    if name == "mulhi":
        bits = 8 * info.dtype.itemsize
        unsigned = (a + 2**bits) % 2**bits * ((b + 2**bits) % 2**bits)
        assert int(reference.mulhi(dtype(a), dtype(b))) % 2**bits == unsigned // 2**bits
        return
    quotient = math.trunc(Fraction(a, b)) if b else 0
    exact = {
        "add": a + b,
        "sub": a - b,
        "mul": a * b,
        "div": quotient,
        "ceildiv": math.ceil(Fraction(a, b)) if b else 0,
        "floordiv": math.floor(Fraction(a, b)) if b else 0,
        "remainder": a - quotient * b,
    }[name]
    undefined = quotient > info.max if name == "remainder" else not info.min <= exact <= info.max
    if undefined and info.min < 0:
        with pytest.raises(UndefinedBehaviorError) as caught:
            getattr(reference, name)(dtype(a), dtype(b))
        assert caught.value.kind == "integer-overflow"
    else:
        assert (
            int(getattr(reference, name)(dtype(a), dtype(b))) == exact % 2 ** (8 * info.dtype.itemsize)
            or exact
        )


def test_bool_has_one_bit():
    a, b = np.array([False, False, True, True]), np.array([False, True, False, True])
    np.testing.assert_array_equal(reference.add(a, b), a ^ b)
    np.testing.assert_array_equal(reference.sub(a, b), a ^ b)
    np.testing.assert_array_equal(reference.mul(a, b), a & b)
    np.testing.assert_array_equal(reference.negate(a), a)
    np.testing.assert_array_equal(reference.max(a, b), a | b)
    assert reference.add(a, b).dtype == bool


def test_negate_and_abs():
    assert np.signbit(reference.negate(np.float32(0)))
    assert not np.signbit(reference.abs(np.float32(-0.0)))
    assert not np.signbit(reference.abs(np.copysign(np.float32(np.nan), -1)))
    assert reference.negate(np.uint8(0)) == 0 and reference.negate(np.uint8(1)) == 255
    with pytest.raises(UndefinedBehaviorError, match="128 does not fit in int8") as caught:
        reference.abs(np.int8(-128))
    assert caught.value.kind == "abs-range"
    with pytest.raises(UndefinedBehaviorError):
        reference.negate(np.array([1, -128], np.int8))


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    "a, b, largest, smallest",
    [(1, 2, 2, 1), (0.0, -0.0, 0.0, -0.0), (-0.0, 0.0, 0.0, -0.0), (INF, 1, INF, 1), (-INF, -1, -1, -INF)],
)
def test_extremes_of_numbers(a, b, largest, smallest, dtype):
    for nan in (None, "suppress_nan", "propagate_nan"):
        for function, expected in ((reference.max, largest), (reference.min, smallest)):
            result = function(dtype(a), dtype(b), nan=nan)
            assert result == expected and np.signbit(result) == np.signbit(expected)


@pytest.mark.parametrize("function", [reference.max, reference.min])
def test_extremes_of_nan(function):
    one, nan = np.float32(1), np.float32(NAN)
    assert function(one, nan) == function(nan, one) == 1
    assert np.isnan(function(nan, nan))
    assert np.isnan(function(one, nan, nan="propagate_nan"))
    assert np.isnan(function(nan, one, nan="propagate_nan"))


@pytest.mark.parametrize("dtype", FLOATS)
@SOME
@given(data=st.data())
def test_remainder_of_floats(dtype, data):
    a, b = data.draw(floats(dtype)), data.draw(floats(dtype))
    result = reference.remainder(a, b)
    if np.isinf(a) or b == 0:
        assert np.isnan(result)
    elif np.isinf(b):
        assert result == a
    else:
        exact_a, exact_b = Fraction(float(a)), Fraction(float(b))
        assert Fraction(float(result)) == exact_a - math.trunc(exact_a / exact_b) * exact_b
        assert result != 0 or np.signbit(result) == np.signbit(a)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: reference.add(1, 2, rounding="round_toward_zero"), "for basic floating point"),
        (lambda: reference.add(1.0, 2.0, rounding="round_up"), "rounding: expected one of"),
        (lambda: reference.add(1.0, 2.0, rounding="round_full"), "rounding: expected one of"),
        (lambda: reference.div(1.0, 2.0, rounding="round_full"), "round_full is for float32"),
        (lambda: reference.add(1.0, 2.0, subnormals="round_subnormals_to_zero"), "is for float32"),
        (lambda: reference.max(1, 2, nan="propagate_nan"), "nan is for basic floating point"),
        (lambda: reference.fma(np.int32(1), np.int32(1), np.float32(1)), "int32 to float32 would narrow"),
        (lambda: reference.floordiv(1.0, 2.0), "must be integral"),
    ],
)
def test_what_the_api_refuses(call, message):
    with pytest.raises(TypeError, match=message):
        call()
