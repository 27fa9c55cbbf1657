"""Common types, narrowing, conversion of elements: the tables of the manual, and exact values."""

from __future__ import annotations

import functools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pycuda_tile import reference
from pycuda_tile.errors import UndefinedBehaviorError

SOME = settings(max_examples=25, deadline=None)

ml_dtypes = pytest.importorskip("ml_dtypes", reason="needs ml_dtypes for bf16 and fp8")
BFLOAT16, E4M3, E5M2 = (np.dtype(getattr(ml_dtypes, n)) for n in ("bfloat16", "float8_e4m3fn", "float8_e5m2"))


@pytest.mark.parametrize(
    "a, b, common",
    [
        ("int32", "float64", "float64"),
        ("float16", "float32", "float32"),
        ("int16", "int16", "int16"),
        ("int8", "int16", "int16"),
        ("uint8", "int16", "int16"),
        ("int8", "uint8", "uint8"),
        ("int32", "uint32", "uint32"),
        ("int64", "uint32", "int64"),
        ("int8", "bool", "int8"),
        ("bool", "uint8", "uint8"),
        ("int64", "float16", "float16"),
        (BFLOAT16, "float32", "float32"),
    ],
)
def test_arithmetic_common_type(a, b, common):
    assert reference.arithmetic_common_type(a, b) == np.dtype(common)
    assert reference.arithmetic_common_type(b, a) == np.dtype(common)


@pytest.mark.parametrize("a, b", [("float16", BFLOAT16), (E4M3, "float32"), ("float32", "complex64")])
def test_types_without_a_common_type(a, b):
    with pytest.raises(TypeError):
        reference.arithmetic_common_type(a, b)


def test_a_tile_decides_over_a_scalar():
    tile = np.zeros((2, 2), np.int16)
    assert reference.add(tile, np.int8(1)).dtype == np.int16
    with pytest.raises(TypeError, match="int32 to int16 would narrow"):
        reference.add(tile, np.int32(1))
    with pytest.raises(TypeError, match="float64 to int16 would narrow"):
        reference.mul(2.0, tile)
    assert reference.equal(2.0, tile).dtype == bool
    assert (
        reference.add(tile.astype(np.float16), np.int64(1)).dtype == np.float16
    )  # integers may narrow to floats


def test_mixed_signs_are_refused():
    with pytest.raises(TypeError, match="int32 to uint32 would narrow"):
        reference.less(np.int32(1), np.zeros(4, np.uint32))


def test_no_promotion():
    assert reference.add(np.int8(1), np.int8(1)).dtype == np.int8
    assert reference.add(np.uint8(200), np.uint8(100)) == 44


def test_python_numbers_take_the_type_of_the_other_operand():
    assert reference.add(np.zeros(2, np.float32), 2.5).dtype == np.float32
    assert reference.add(np.zeros(2, np.uint8), 2).dtype == np.uint8
    assert reference.add(1, 2).dtype == np.int32 and reference.add(1.0, 2).dtype == np.float64
    with pytest.raises(OverflowError, match="300 does not fit in uint8"):
        reference.add(np.zeros(2, np.uint8), 300)
    with pytest.raises(TypeError, match="list is no tile"):
        reference.add(np.zeros(2), [1, 2])


def test_scalars_stay_scalars_and_tiles_stay_tiles():
    assert isinstance(reference.add(np.float32(1), np.float32(2)), np.float32)
    rank_0 = reference.add(np.array(1, np.float32), np.float32(2))
    assert isinstance(rank_0, np.ndarray) and rank_0.shape == ()
    assert reference.add(np.zeros((4, 1), np.int32), np.zeros(8, np.int32)).shape == (4, 8)
    with pytest.raises(ValueError):
        reference.add(np.zeros(4), np.zeros(8))


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
        return  # what becomes of these is tested apart
    result = reference.element_cast(x, target)
    assert result.dtype == target
    exact = Fraction(int(x)) if source is np.int64 else Fraction(float(x))
    place = np.searchsorted(values, float(result))
    near = [Fraction(v) for v in values[max(place - 1, 0) : place + 2]]
    assert abs(Fraction(float(result)) - exact) == min(abs(v - exact) for v in near)


def test_cast_rounds_once():
    # Above the midpoint of 1 and the next bfloat16 by less than a float can tell.
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
