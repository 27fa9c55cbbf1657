"""Comparison, creation, shapes, reductions and products of tiles: the manual's examples, and others."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pycuda_tile import reference
from pycuda_tile.errors import UndefinedBehaviorError

SOME = settings(max_examples=25, deadline=None)

SMALL = st.integers(-8, 8)


def test_comparisons_with_nan():
    nan, one = np.float32(np.nan), np.float32(1)
    for name in ("equal", "less", "less_equal", "greater", "greater_equal"):
        assert not getattr(reference, name)(nan, one) and not getattr(reference, name)(nan, nan)
    assert reference.not_equal(nan, nan)


@SOME
@given(a=SMALL, b=SMALL)
def test_comparisons(a, b):
    assert reference.equal(a, b) == (a == b) and reference.not_equal(a, b) == (a != b)
    assert reference.less(a, b) == (a < b) and reference.less_equal(a, b) == (a <= b)
    assert reference.greater(a, b) == (a > b) and reference.greater_equal(a, b) == (a >= b)
    assert reference.logical_and(a, b) == bool(a and b) and reference.logical_or(a, b) == bool(a or b)
    assert reference.logical_not(a) == (not a)


def test_create():
    np.testing.assert_array_equal(reference.iota(np.int32, (2, 4)), [[0, 1, 2, 3], [4, 5, 6, 7]])
    np.testing.assert_array_equal(reference.full(np.int32, (2, 2), 42), [[42, 42], [42, 42]])
    assert reference.ones(bool, (2,)).all() and not np.signbit(reference.zeros(np.float32, (2,))).any()
    assert reference.iota(np.uint8, (256,))[-1] == 255
    with pytest.raises(TypeError, match="int8 does not hold the integers from 0 to 255"):
        reference.iota(np.int8, (256,))


def test_reshape_keeps_row_major_order():
    x = reference.iota(np.int32, (2, 4))
    np.testing.assert_array_equal(reference.reshape(x, (4, 2)), [[0, 1], [2, 3], [4, 5], [6, 7]])


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_permute_by_index(order):
    x = reference.iota(np.int32, (4, 2, 8))
    result = reference.permute(x, order)
    for index in np.ndindex(result.shape):
        source = [0, 0, 0]
        for i, dimension in enumerate(order):
            source[dimension] = index[i]
        assert result[index] == x[tuple(source)]


def test_transpose_interchanges_the_first_two():
    x = reference.iota(np.int32, (4, 2, 2))
    np.testing.assert_array_equal(reference.transpose(x), reference.permute(x, (1, 0, 2)))
    assert reference.transpose(x).shape == (2, 4, 2)
    np.testing.assert_array_equal(reference.transpose(x[0, 0]), x[0, 0])
    assert reference.transpose(np.int32(3)) == 3


def test_broadcast_cat_extract():
    column = reference.iota(np.int32, (4, 1))
    np.testing.assert_array_equal(reference.broadcast(column, (4, 4))[:, 3], [0, 1, 2, 3])
    joined = reference.cat(np.zeros((4, 2), np.int32), np.ones((4, 2), np.int32), 1)
    np.testing.assert_array_equal(joined, [[0, 0, 1, 1]] * 4)
    with pytest.raises(TypeError, match="int32 and int64"):
        reference.cat(column, column.astype(np.int64), 0)
    x = reference.iota(np.int32, (4, 4))
    np.testing.assert_array_equal(reference.extract(x, (2, 2), 0, 1), [[2, 3], [6, 7]])
    with pytest.raises(UndefinedBehaviorError) as caught:
        reference.extract(x, (2, 2), 0, 2)
    assert caught.value.kind == "extract-bounds"


def test_select():
    x = reference.iota(np.int32, (4,))
    condition = np.array([True, False, True, False])
    np.testing.assert_array_equal(reference.select(condition, x, reference.negate(x)), [0, -1, 2, -3])
    np.testing.assert_array_equal(reference.select(np.int32(2), x, x + 1), x)
    with pytest.raises(TypeError, match="one type and shape"):
        reference.select(condition, x, x.astype(np.int64))


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


def test_products_of_the_manual():
    lhs = reference.iota(np.int32, (2, 4)).astype(np.float32)
    rhs = reference.iota(np.int32, (4, 2)).astype(np.float32)
    acc = reference.iota(np.int32, (2, 2)).astype(np.float32)
    np.testing.assert_array_equal(reference.mma(lhs, rhs, acc), [[28, 35], [78, 101]])
    np.testing.assert_array_equal(reference.matmul(lhs, rhs), [[28, 34], [76, 98]])
    batch = reference.mma(np.stack([lhs, lhs]), np.stack([rhs, -rhs]), np.stack([acc, -acc]))
    np.testing.assert_array_equal(batch[1], [[-28, -35], [-78, -101]])
    one_lhs = reference.mma(lhs[None], np.stack([rhs, -rhs]), np.stack([acc, -acc]))
    np.testing.assert_array_equal(one_lhs, batch)


def test_product_types():
    half = np.ones((2, 2), np.float16)
    assert reference.matmul(half, half).dtype == np.float16
    assert reference.mma(half, half, np.zeros((2, 2), np.float32)).dtype == np.float32
    byte = np.full((2, 2), 255, np.uint8)
    np.testing.assert_array_equal(reference.matmul(byte, np.full((2, 2), -128, np.int8)), 2 * 255 * -128)
    with pytest.raises(TypeError, match="no accumulator of float64"):
        reference.mma(half, half, np.zeros((2, 2)))
    with pytest.raises(TypeError, match="no product of float16 and float32"):
        reference.matmul(half, half.astype(np.float32))
    with pytest.raises(ValueError, match="do not multiply"):
        reference.matmul(half, np.ones((4, 2), np.float16))
    with pytest.raises(ValueError, match="accumulator has shape"):
        reference.mma(half, half, np.zeros((4, 2), np.float32))


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
