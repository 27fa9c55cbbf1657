"""Atomic updates of memory."""

from __future__ import annotations

import numpy as np

from pycuda_tile import reference


def test_updates_of_one_location_follow_each_other():
    total = np.array([np.iinfo(np.int32).max], np.int32)
    ptr = reference.pointer(total) + np.zeros(3, np.int64)
    before = reference.atomic_add(ptr, np.array([1, 2, 3], np.int32))
    low = np.iinfo(np.int32).min
    np.testing.assert_array_equal(before, [np.iinfo(np.int32).max, low, low + 2])
    assert total[0] == low + 5
    one, high = reference.pointer(total), np.iinfo(np.int32).max
    assert reference.atomic_sub(one, np.int32(6)) == low + 5 and total[0] == high
    assert reference.atomic_max(one, np.int32(-1)) == total[0]
    assert reference.atomic_xchg(one, np.int32(9)) == high and total[0] == 9


def test_compare_exchange_compares_bits():
    values = np.array([0.0, -0.0, np.nan], np.float32)
    ptr = reference.pointer(values) + np.arange(3)
    compare = np.array([0.0, 0.0, np.nan], np.float32)
    before = reference.atomic_compare_exchange(ptr, compare, np.full(3, 5, np.float32))
    np.testing.assert_array_equal(values, [5, 0, 5])
    assert list(np.signbit(before[:2])) == [False, True] and np.isnan(before[2])
    kept = reference.atomic_compare_exchange_masked(ptr, compare, np.full(3, 6, np.float32), False)
    assert kept.tobytes() == compare.tobytes() and values[0] == 5
