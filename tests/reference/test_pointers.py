"""Arithmetic and comparison of pointers."""

from __future__ import annotations

import numpy as np
import pytest

from pycuda_tile import reference
from pycuda_tile.errors import UndefinedBehaviorError


@pytest.fixture
def data() -> np.ndarray:
    return np.arange(12, dtype=np.int32).reshape(3, 4)


def test_differences_of_pointers(data):
    a, b = reference.pointer(data) + np.array([4, 7]), reference.pointer(data) + 2
    np.testing.assert_array_equal(a - b, [2, 5])
    np.testing.assert_array_equal((a - np.array([1, 2])).index, [3, 5])
    with pytest.raises(UndefinedBehaviorError) as found:
        a - reference.pointer(data.copy())
    assert found.value.kind == "pointer-arithmetic"


def test_comparisons(data):
    low, high = reference.pointer(data) + np.array([0, 5]), reference.pointer(data) + 5
    assert (low == high).tolist() == [False, True] and (low != high).tolist() == [True, False]
    assert (low < high).tolist() == [True, False] and (low <= high).all()
    assert (high > low).tolist() == [True, False] and (high >= low).all()
    assert high != reference.pointer(data.copy()) + 5
    null = None
    assert (low != null).all() and not (null == low).any() and high != null
