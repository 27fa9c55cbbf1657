"""The position of a block in its grid."""

from __future__ import annotations

import numpy as np
import pytest

from pycuda_tile import reference


def test_blocks_are_counted_along_x_first():
    assert reference.num_blocks(4) == (4, 1, 1) and reference.num_blocks((2, 3)) == (2, 3, 1)
    grid = (2, 3, 4)
    indices = [reference.bid(number, grid) for number in range(24)]
    assert indices[:3] == [(0, 0, 0), (1, 0, 0), (0, 1, 0)] and indices[-1] == (1, 2, 3)
    assert sorted(set(indices)) == sorted(np.ndindex(*reference.num_blocks(grid)))
    with pytest.raises(IndexError, match="block 24 of a grid of 2 x 3 x 4"):
        reference.bid(24, grid)
