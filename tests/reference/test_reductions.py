"""Reductions and scans: the manual's examples, and sums of all subsets."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pycuda_tile import reference
from pycuda_tile.errors import UndefinedBehaviorError

SOME = settings(max_examples=25)


@pytest.mark.parametrize("dim", [0, 1])
def test_reductions_of_the_manual(dim):
    x = np.array([[0, 10, 2, 5], [-3, 2, 22, 7]], np.float32)
    np.testing.assert_array_equal(reference.reduce_max(x, dim), x.max(axis=dim, keepdims=True))
    np.testing.assert_array_equal(reference.reduce_min(x, dim), x.min(axis=dim, keepdims=True))
    np.testing.assert_array_equal(reference.sum(x, dim), x.sum(axis=dim, keepdims=True))
    np.testing.assert_array_equal(reference.prod(x, dim), x.prod(axis=dim, keepdims=True))
    bits = np.array([[1, 1, 0, 0], [1, 0, 1, 0]], bool)
    np.testing.assert_array_equal(reference.all_of(bits, 0), [[True, False, False, False]])
    np.testing.assert_array_equal(reference.any_of(bits, 0), [[True, True, True, False]])
    with pytest.raises(ValueError, match="dim"):
        reference.sum(x, 2)


def test_float_sum_does_not_lose_what_cancels():
    x = np.array([1e30, 1, -1e30, 2**-20], np.float32)
    assert reference.sum(x, 0) == np.float32(1 + 2**-20)
    assert reference.sum(np.array([np.inf, 1], np.float32), 0) == np.inf


def test_reductions_with_nan():
    x = np.array([[np.nan, 1, 3], [np.nan] * 3], np.float32)
    np.testing.assert_array_equal(reference.reduce_max(x, 1), [[3], [np.nan]])
    np.testing.assert_array_equal(reference.reduce_min(x, 1), [[1], [np.nan]])
    assert np.isnan(reference.reduce_max(x, 1, nan="propagate_nan")).all()


@SOME
@given(st.lists(st.one_of(st.integers(-128, 127), st.integers(-2, 2)), min_size=1, max_size=5))
def test_integer_reductions_overflow_in_any_order(values):
    """All subsets, since any of them can be an intermediate result."""
    tile = np.array(values, np.int8)
    subsets = [s for n in range(1, len(values) + 1) for s in itertools.combinations(values, n)]
    for function, exactly in ((reference.sum, sum), (reference.prod, math.prod)):
        if all(-128 <= exactly(s) <= 127 for s in subsets):
            assert function(tile, 0) == [exactly(values)]
        else:
            with pytest.raises(UndefinedBehaviorError) as caught:
                function(tile, 0)
            assert caught.value.kind == "integer-overflow"


def test_unsigned_reductions_wrap():
    x = np.array([200, 100, 3], np.uint8)
    assert reference.sum(x, 0) == [303 % 256] and reference.prod(x, 0) == [60000 % 256]
    assert reference.sum(np.array([True, True, True]), 0) == [True]


def test_scans_are_the_reductions_of_beginnings():
    a = np.array([[1, -2, 3, 4], [5, 6, -7, 8]], np.int32)
    np.testing.assert_array_equal(reference.partial_sum(a, 1), np.cumsum(a, axis=1, dtype=np.int32))
    np.testing.assert_array_equal(reference.partial_prod(a, 0), np.cumprod(a, axis=0, dtype=np.int32))
    np.testing.assert_array_equal(reference.partial_sum(a % 2 == 1, 1)[1], [True, True, False, False])


def test_bitwise_reductions():
    a = np.array([[0b0011, 0b1010], [0b0101, 0b0110]], np.uint8)
    assert reference.reduce_bitand(a, 0).tolist() == [[0b0001, 0b0010]]
    assert reference.reduce_bitor(a, 1).tolist() == [[0b1011], [0b0111]]
    assert reference.reduce_bitxor(a, 0).tolist() == [[0b0110, 0b1100]]
    with pytest.raises(TypeError, match="integers"):
        reference.reduce_bitor(a.astype(np.float32), 0)
