"""Tiles of given values."""

from __future__ import annotations

import numpy as np
import pytest

from pycuda_tile import reference


def test_create():
    np.testing.assert_array_equal(reference.iota(np.int32, (2, 4)), [[0, 1, 2, 3], [4, 5, 6, 7]])
    np.testing.assert_array_equal(reference.full(np.int32, (2, 2), 42), [[42, 42], [42, 42]])
    assert reference.ones(bool, (2,)).all() and not np.signbit(reference.zeros(np.float32, (2,))).any()
    assert reference.iota(np.uint8, (256,))[-1] == 255
    with pytest.raises(TypeError, match="int8 does not hold the integers from 0 to 255"):
        reference.iota(np.int8, (256,))
