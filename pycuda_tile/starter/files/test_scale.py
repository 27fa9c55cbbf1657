"""Run it with pytest."""

import numpy as np
import pytest
from scale import TILE, scale


@pytest.mark.parametrize("n", [0, 1, TILE - 1, TILE, 10 * TILE + 7])
def test_scale_agrees_with_numpy(n):
    x = np.random.default_rng(n).standard_normal(n, np.float32)
    assert np.array_equal(scale(x, 0.1), x * np.float32(0.1))
