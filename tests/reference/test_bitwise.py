"""Bits, shifts and logic, by hand and against Python's own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pycuda_tile import reference
from pycuda_tile.errors import UndefinedBehaviorError

SOME = settings(max_examples=25)

SMALL = st.integers(-8, 8)


@SOME
@given(a=SMALL, b=SMALL)
def test_logic(a, b):
    assert reference.logical_and(a, b) == bool(a and b) and reference.logical_or(a, b) == bool(a or b)
    assert reference.logical_not(a) == (not a)


def test_bits():
    a, b = np.array([0b0011, -1], np.int8), np.array([0b0101, 0], np.int8)
    np.testing.assert_array_equal(reference.bit_and(a, b), [0b0001, 0])
    np.testing.assert_array_equal(reference.bit_or(a, b), [0b0111, -1])
    np.testing.assert_array_equal(reference.bit_xor(a, b), [0b0110, -1])
    np.testing.assert_array_equal(reference.bit_not(a), [~0b0011, 0])
    assert reference.bit_and(np.int8(3), np.int16(5)).dtype == np.int16
    assert reference.bit_not(np.True_) == np.False_
    with pytest.raises(TypeError, match="must be integral, it is float32"):
        reference.bit_or(np.float32(1), np.float32(1))


def test_shifts():
    assert reference.shift_left(np.uint8(0b11), 7) == 0b10000000
    assert reference.shift_right(np.int8(-128), np.int64(7)) == -1
    assert reference.shift_right(np.uint64(2**63), np.uint8(63)) == 1
    assert reference.shift_left(np.ones((2, 1), np.int16), np.arange(3)).tolist() == [[1, 2, 4]] * 2
    assert reference.shift_left(np.True_, np.int32(0)) == np.True_
    for count in (-1, 8):
        with pytest.raises(UndefinedBehaviorError, match="int8 is shifted by 0 to 7 bits") as caught:
            reference.shift_left(np.int8(1), np.int32(count))
        assert caught.value.kind == "shift-range"
