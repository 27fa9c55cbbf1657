"""Shapes and orders of tiles, by index; the manual's examples."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from pycuda_tile import reference
from pycuda_tile.errors import UndefinedBehaviorError


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
