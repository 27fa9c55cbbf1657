"""Assumptions that hold, and assumptions that one element violates."""

from __future__ import annotations

import numpy as np
import pytest

from pycuda_tile import reference
from pycuda_tile.errors import UndefinedBehaviorError

BLOCKED = np.repeat(np.repeat([[42, 5], [3, 2], [7, 8]], 3, axis=0), 2, axis=1)[:8]
STRIDED = np.array([[32, 33, 34, 0, 1, 2, 16, 17], [64, 65, 66, -16, -15, -14, 0, 1]])
ASSUMPTIONS = [
    # function, arguments, a tile for which it is true, a place and a value there that makes it false
    (reference.assume_blocked, ((3, 2),), BLOCKED, (7, 0), 6),
    (reference.assume_bounded, (-3, 5), np.array([-3, 0, 5]), (2,), 6),
    (reference.assume_bounded, (-3, 5), np.array([-3, 0, 5]), (0,), -4),
    (reference.assume_bounded_above, (5,), np.array([-30, 5]), (1,), 6),
    (reference.assume_bounded_below, (5,), np.array([30, 5]), (1,), 4),
    (reference.assume_divisible, (16,), np.array([-32, 0, 16]), (1,), 8),
    (reference.assume_divisible_strided, (16, 3, 1), STRIDED, (0, 6), 15),
    (reference.assume_divisible_strided, (16, 3, 1), STRIDED, (1, 2), 65),
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
    every = reference.pointer(floats) + np.arange(0, 32, 4)
    assert reference.assume_aligned(every, 16) is every
    runs = reference.pointer(floats) + np.array([[4, 5, 6, 0, 1, 2, 8, 9]])
    assert reference.assume_aligned_strided(runs, 16, 3, 1) is runs
    for wrong in (
        lambda: reference.assume_aligned(every + 1, 16),
        lambda: reference.assume_aligned_strided(runs, 32, 3, 1),
    ):
        with pytest.raises(UndefinedBehaviorError):
            wrong()
