"""Conversion of elements by value and by bits: exact values, and all values of small types."""

from __future__ import annotations

import functools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pycuda_tile import reference
from pycuda_tile.errors import UndefinedBehaviorError

SOME = settings(max_examples=25)

ml_dtypes = pytest.importorskip("ml_dtypes", reason="needs ml_dtypes for bf16 and fp8")
BFLOAT16, E4M3, E5M2 = (np.dtype(getattr(ml_dtypes, n)) for n in ("bfloat16", "float8_e4m3fn", "float8_e5m2"))


def test_infinities_and_nan():
    x = np.array([np.inf, -np.inf, np.nan, 1], np.float32)
    np.testing.assert_array_equal(reference.isinf(x), [True, True, False, False])
    np.testing.assert_array_equal(reference.isnan(x), [False, False, True, False])


@functools.cache
def neighbours(dtype) -> list[float]:
    """All finite values of a type of at most 16 bits, in order."""
    bits = 8 * dtype.itemsize
    with np.errstate(invalid="ignore"):
        values = np.arange(2**bits).astype(f"u{dtype.itemsize}").view(dtype).astype(np.float64)
    return sorted(set(values[np.isfinite(values)]))


@pytest.mark.parametrize("target", [np.dtype(np.float16), BFLOAT16, E4M3, E5M2], ids=lambda d: d.name)
@pytest.mark.parametrize("source", [np.float32, np.float64, np.int64])
@SOME
@given(data=st.data())
def test_cast_is_to_a_nearest_value(source, target, data):
    values = neighbours(target)
    if source is np.int64:
        x = np.int64(data.draw(st.integers(-(2**17), 2**17)))
    else:
        bound = float(source(min(values[-1], 1e30)))
        x = source(data.draw(st.floats(-bound, bound, width=8 * np.dtype(source).itemsize)))
    if abs(int(x)) > values[-1]:
        return  # these are tested separately
    result = reference.element_cast(x, target)
    assert result.dtype == target
    exact = Fraction(int(x)) if source is np.int64 else Fraction(float(x))
    place = np.searchsorted(values, float(result))
    near = [Fraction(v) for v in values[max(place - 1, 0) : place + 2]]
    assert abs(Fraction(float(result)) - exact) == min(abs(v - exact) for v in near)


def test_cast_rounds_once():
    # Above the midpoint of 1 and the next bfloat16 by less than a float can represent.
    x = np.float64(1 + 2.0**-8 + 2.0**-40)
    assert float(reference.element_cast(x, BFLOAT16)) == 1 + 2.0**-7
    # 2049 lies between two halves; 2^50 + 2049 * 2^39 + 1 is just above their midpoint, scaled.
    assert reference.element_cast(np.int64(2049 * 2 + 1), np.float32) == 4099
    assert reference.element_cast(np.int64(2**24 + 1), np.float32) == 2**24


def test_cast_out_of_range():
    assert reference.element_cast(np.float64(1e6), np.float16) == np.inf
    assert float(reference.element_cast(np.float32(1e6), E4M3)) == 448
    assert float(reference.element_cast(np.float32(-np.inf), E5M2)) == -57344
    assert np.isnan(float(reference.element_cast(np.float32(np.nan), E4M3)))
    assert reference.element_cast(np.int32(300), np.uint8) == 44
    assert reference.element_cast(np.int32(200), np.int8) == -56
    assert reference.element_cast(np.float32(-3.9), np.int8) == -3
    for value in (128.0, np.nan, -np.inf):
        with pytest.raises(UndefinedBehaviorError) as caught:
            reference.element_cast(np.float32(value), np.int8)
        assert caught.value.kind == "conversion-range"


def test_cast_to_bool_asks_for_zero():
    x = np.array([0.0, -0.0, 0.1, np.nan, -3], np.float32)
    np.testing.assert_array_equal(reference.element_cast(x, bool), [False, False, True, True, True])


def test_bitcast():
    np.testing.assert_array_equal(reference.element_bitcast(np.full((4, 1), 255, np.uint8), np.int8), -1)
    assert reference.element_bitcast(np.float32(1), np.uint32) == 0x3F800000
    with pytest.raises(TypeError, match="differ in size"):
        reference.element_bitcast(np.float32(1), np.uint16)
    with pytest.raises(UndefinedBehaviorError) as caught:
        reference.element_bitcast(np.uint8(2), bool)
    assert caught.value.kind == "bitcast-value"
