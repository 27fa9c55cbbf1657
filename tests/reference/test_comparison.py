"""Comparisons against Python's own."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pycuda_tile import reference

SOME = settings(max_examples=25)

SMALL = st.integers(-8, 8)


def test_comparisons_with_nan():
    nan, one = np.float32(np.nan), np.float32(1)
    for name in ("equal", "less", "less_equal", "greater", "greater_equal"):
        assert not getattr(reference, name)(nan, one) and not getattr(reference, name)(nan, nan)
    assert reference.not_equal(nan, nan)


@SOME
@given(a=SMALL, b=SMALL)
def test_comparisons(a, b):
    assert reference.equal(a, b) == (a == b) and reference.not_equal(a, b) == (a != b)
    assert reference.less(a, b) == (a < b) and reference.less_equal(a, b) == (a <= b)
    assert reference.greater(a, b) == (a > b) and reference.greater_equal(a, b) == (a >= b)
