"""Partition views at the end of their array."""

from __future__ import annotations

import numpy as np
import pytest

from pycuda_tile import reference
from pycuda_tile.errors import UndefinedBehaviorError


def test_partition_views_end_with_the_array():
    array = np.arange(30, dtype=np.float32).reshape(5, 6)
    view = reference.PartitionView(array, (4, 4))
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
