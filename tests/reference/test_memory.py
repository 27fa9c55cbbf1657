"""Loads and stores through pointers."""

from __future__ import annotations

import numpy as np
import pytest

from pycuda_tile import reference
from pycuda_tile.errors import UndefinedBehaviorError


@pytest.fixture
def data() -> np.ndarray:
    return np.arange(12, dtype=np.int32).reshape(3, 4)


def test_loads_and_stores_follow_the_pointers(data):
    ptr = reference.pointer(data) + np.array([[0, 5], [11, 0]])
    np.testing.assert_array_equal(reference.load(ptr), [[0, 5], [11, 0]])
    reference.store(ptr, np.array([[1, 2], [3, 4]], np.int32))
    assert [data[0, 0], data[1, 1], data[2, 3]] == [4, 2, 3]  # the last one of two in row-major order
    first = reference.pointer(data)
    assert reference.load(first + 5) == 2 and isinstance(reference.load(first), np.int32)


def test_masks_keep_accesses_in_bounds(data):
    far = reference.pointer(data) + np.array([11, 12])
    mask = np.array([True, False])
    np.testing.assert_array_equal(reference.load_masked(far, mask, -1), [11, -1])
    reference.store_masked(far, np.array([7, 8], np.int32), mask)
    assert data[2, 3] == 7
    with pytest.raises(UndefinedBehaviorError, match="element 12 of an array of 12") as found:
        reference.load(far)
    assert found.value.kind == "memory-bounds"


def test_values_that_are_stored_are_neither_narrowed_nor_broadcast(data):
    ptr = reference.pointer(data) + np.array([0, 1])
    with pytest.raises(TypeError, match="float64 to int32 would narrow"):
        reference.store(ptr, np.array([1.0, 2.0]))
    with pytest.raises(TypeError, match="shape"):
        reference.store(ptr, np.int32(1))


def test_arrays_are_no_pointers(data):
    for function in (reference.load, lambda x: reference.atomic_add(x, 1), lambda x: reference.store(x, 1)):
        with pytest.raises(TypeError, match=r"expected pointers, such as .* got ndarray"):
            function(data)
    with pytest.raises(TypeError, match="expected pointers"):
        reference.assume_aligned(data, 16)
