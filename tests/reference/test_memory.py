"""Pointers, atomics, partition views and assumptions of the reference, with the manual's examples."""

from __future__ import annotations

import numpy as np
import pytest

from pycuda_tile import reference as ref
from pycuda_tile.errors import UndefinedBehaviorError


@pytest.fixture
def data() -> np.ndarray:
    return np.arange(12, dtype=np.int32).reshape(3, 4)


def test_loads_and_stores_follow_the_pointers(data):
    ptr = ref.pointer(data) + np.array([[0, 5], [11, 0]])
    np.testing.assert_array_equal(ref.load(ptr), [[0, 5], [11, 0]])
    ref.store(ptr, np.array([[1, 2], [3, 4]], np.int32))
    assert [data[0, 0], data[1, 1], data[2, 3]] == [4, 2, 3]  # the last one of two in row-major order
    assert ref.load(ref.pointer(data) + 5) == 2 and isinstance(ref.load(ref.pointer(data)), np.int32)


def test_differences_of_pointers(data):
    a, b = ref.pointer(data) + np.array([4, 7]), ref.pointer(data) + 2
    np.testing.assert_array_equal(a - b, [2, 5])
    np.testing.assert_array_equal((a - np.array([1, 2])).index, [3, 5])
    with pytest.raises(UndefinedBehaviorError) as found:
        a - ref.pointer(data.copy())
    assert found.value.kind == "pointer-arithmetic"


def test_masks_keep_accesses_in_bounds(data):
    far = ref.pointer(data) + np.array([11, 12])
    mask = np.array([True, False])
    np.testing.assert_array_equal(ref.load_masked(far, mask, -1), [11, -1])
    ref.store_masked(far, np.array([7, 8], np.int32), mask)
    assert data[2, 3] == 7
    with pytest.raises(UndefinedBehaviorError, match="element 12 of an array of 12") as found:
        ref.load(far)
    assert found.value.kind == "memory-bounds"


def test_values_that_are_stored_are_neither_narrowed_nor_broadcast(data):
    ptr = ref.pointer(data) + np.array([0, 1])
    with pytest.raises(TypeError, match="float64 to int32 would narrow"):
        ref.store(ptr, np.array([1.0, 2.0]))
    with pytest.raises(TypeError, match="shape"):
        ref.store(ptr, np.int32(1))


def test_updates_of_one_location_follow_each_other():
    total = np.array([np.iinfo(np.int32).max], np.int32)
    ptr = ref.pointer(total) + np.zeros(3, np.int64)
    before = ref.atomic_add(ptr, np.array([1, 2, 3], np.int32))
    low = np.iinfo(np.int32).min
    np.testing.assert_array_equal(before, [np.iinfo(np.int32).max, low, low + 2])
    assert total[0] == low + 5
    assert ref.atomic_sub(ref.pointer(total), np.int32(6)) == low + 5 and total[0] == np.iinfo(np.int32).max
    assert ref.atomic_max(ref.pointer(total), np.int32(-1)) == total[0]
    assert ref.atomic_xchg(ref.pointer(total), np.int32(9)) == np.iinfo(np.int32).max and total[0] == 9


def test_compare_exchange_compares_bits():
    values = np.array([0.0, -0.0, np.nan], np.float32)
    ptr = ref.pointer(values) + np.arange(3)
    compare = np.array([0.0, 0.0, np.nan], np.float32)
    before = ref.atomic_compare_exchange(ptr, compare, np.full(3, 5, np.float32))
    np.testing.assert_array_equal(values, [5, 0, 5])
    assert list(np.signbit(before[:2])) == [False, True] and np.isnan(before[2])
    kept = ref.atomic_compare_exchange_masked(ptr, compare, np.full(3, 6, np.float32), False)
    assert kept.tobytes() == compare.tobytes() and values[0] == 5


def test_partition_views_end_with_the_array():
    array = np.arange(30, dtype=np.float32).reshape(5, 6)
    view = ref.PartitionView(array, (4, 4))
    assert view.grid == (2, 2)
    np.testing.assert_array_equal(view.load(0, 0), array[:4, :4])
    corner = view.load_masked(1, 1, padding="negative_inf")
    np.testing.assert_array_equal(corner[:1, :2], array[4:, 4:])
    assert np.all(corner[1:] == -np.inf) and np.all(corner[:, 2:] == -np.inf)
    view.store_masked(np.full((4, 4), 9, np.float32), 1, 1)
    np.testing.assert_array_equal(array[4], [24, 25, 26, 27, 9, 9])
    assert array[3, 4] == 22
    for index, kind in (((0, 1), "unmasked-partition"), ((1, 0), "unmasked-partition")):
        with pytest.raises(UndefinedBehaviorError) as found:
            view.load(*index)
        assert found.value.kind == kind
    with pytest.raises(UndefinedBehaviorError) as found:
        view.load_masked(2, 0)
    assert found.value.kind == "partition-bounds"


BLOCKED = np.repeat(np.repeat([[42, 5], [3, 2], [7, 8]], 3, axis=0), 2, axis=1)[:8]
STRIDED = np.array([[32, 33, 34, 0, 1, 2, 16, 17], [64, 65, 66, -16, -15, -14, 0, 1]])
ASSUMPTIONS = [
    # function, arguments, a tile of which it is true, a place and the value there that makes it false
    (ref.assume_blocked, ((3, 2),), BLOCKED, (7, 0), 6),
    (ref.assume_bounded, (-3, 5), np.array([-3, 0, 5]), (2,), 6),
    (ref.assume_bounded, (-3, 5), np.array([-3, 0, 5]), (0,), -4),
    (ref.assume_bounded_above, (5,), np.array([-30, 5]), (1,), 6),
    (ref.assume_bounded_below, (5,), np.array([30, 5]), (1,), 4),
    (ref.assume_divisible, (16,), np.array([-32, 0, 16]), (1,), 8),
    (ref.assume_divisible_strided, (16, 3, 1), STRIDED, (0, 6), 15),
    (ref.assume_divisible_strided, (16, 3, 1), STRIDED, (1, 2), 65),
]


@pytest.mark.parametrize("function, arguments, tile, place, value", ASSUMPTIONS)
def test_assumptions(function, arguments, tile, place, value):
    assert function(tile, *arguments) is tile
    wrong = tile.copy()
    wrong[place] = value
    with pytest.raises(UndefinedBehaviorError) as found:
        function(wrong, *arguments)
    assert found.value.kind == "assumption" and len(found.value.index) == tile.ndim


def test_assumptions_of_pointers():
    storage = np.zeros(256, np.uint8)
    offset = -storage.ctypes.data % 64
    floats = storage[offset : offset + 128].view(np.float32)  # aligned to 64 bytes
    every = ref.pointer(floats) + np.arange(0, 32, 4)
    assert ref.assume_aligned(every, 16) is every
    runs = ref.pointer(floats) + np.array([[4, 5, 6, 0, 1, 2, 8, 9]])
    assert ref.assume_aligned_strided(runs, 16, 3, 1) is runs
    for wrong in (
        lambda: ref.assume_aligned(every + 1, 16),
        lambda: ref.assume_aligned_strided(runs, 32, 3, 1),
    ):
        with pytest.raises(UndefinedBehaviorError):
            wrong()
