"""Math functions against Python's own, and square roots against their squares."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pycuda_tile import reference

SOME = settings(max_examples=25)

MODES = ["round_ties_to_even", "round_toward_zero", "round_toward_negative", "round_toward_positive"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@SOME
@given(data=st.data())
def test_sqrt_is_correctly_rounded(dtype, mode, data):
    width = 8 * np.dtype(dtype).itemsize
    smallest, greatest = float(np.finfo(dtype).smallest_subnormal), float(np.finfo(dtype).max)
    x = dtype(data.draw(st.floats(smallest, greatest, width=width)))
    root = reference.sqrt(x, rounding=mode)
    below, here, above = (
        Fraction(float(v)) for v in (np.nextafter(root, dtype(0)), root, np.nextafter(root, dtype(np.inf)))
    )
    exact = Fraction(float(x))
    if mode == "round_ties_to_even":  # a root is never half way between two values
        assert ((below + here) / 2) ** 2 < exact < ((here + above) / 2) ** 2
    elif mode == "round_toward_positive":
        assert below**2 < exact <= here**2
    else:
        assert here**2 <= exact < above**2


def test_sqrt_of_special_values():
    assert np.isnan(reference.sqrt(np.float32(-1)))
    assert np.signbit(reference.sqrt(np.float32(-0.0)))
    assert reference.sqrt(np.float32(np.inf)) == np.inf
    with pytest.raises(TypeError, match="round_approximate is for float32"):
        reference.sqrt(np.float64(2), rounding="round_approximate")


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize(
    "name", ["exp", "exp2", "log", "log2", "sin", "cos", "tan", "sinh", "cosh", "tanh", "ceil", "floor"]
)
@SOME
@given(data=st.data())
def test_math_functions(name, dtype, data):
    low = 0.001 if name.startswith("log") else -8
    x = np.array([data.draw(st.floats(low, 8))], dtype)
    expected = (
        (math.exp2 if hasattr(math, "exp2") else lambda v: 2.0**v)(float(x[0]))
        if name == "exp2"
        else (getattr(math, name)(float(x[0])))
    )
    result = getattr(reference, name)(x)
    assert result.dtype == dtype and result.shape == (1,)
    tolerance = 2 * float(np.finfo(dtype).eps)
    assert math.isclose(
        float(result[0]), expected, rel_tol=tolerance, abs_tol=float(np.finfo(dtype).smallest_subnormal)
    )


def test_two_operands():
    assert reference.pow(np.float32(2), np.float32(10)) == 1024
    assert math.isclose(float(reference.atan2(np.float32(1), np.float32(-1))), 3 * math.pi / 4, rel_tol=1e-7)
    assert reference.atan2(np.zeros(2, np.float32), 1).dtype == np.float32
    with pytest.raises(TypeError, match="basic floating point"):
        reference.pow(np.float32(2), np.int32(3))


def test_rsqrt_and_subnormals():
    assert reference.rsqrt(np.float32(4)) == 0.5
    assert reference.rsqrt(np.float32(1e-40), subnormals="round_subnormals_to_zero") == np.inf
    assert reference.exp2(np.float32(-130), subnormals="round_subnormals_to_zero") == 0
    assert reference.exp2(np.float32(-130)) == np.float32(2.0**-130)
