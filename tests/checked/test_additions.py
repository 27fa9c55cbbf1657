"""Checked builds report the undefined behaviour of what 13.4 and 13.5 add."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pycuda_tile as pct

I32 = np.dtype(np.int32)


@pytest.fixture(scope="module")
def module() -> pct.Module:
    return pct.build(Path(__file__).with_name("additions.cu"), target="cpu", checked=True, options=("-O1",))


def kind(module: pct.Module, name: str, *arguments) -> str:
    """The kind of the report, "" if there is none."""
    try:
        module.kernel(name)[1](*arguments)
    except pct.UndefinedBehaviorError as error:
        return error.kind
    return ""


def test_shifts_of_bool(module):
    for count, expected in ((0, ""), (1, "shift-range"), (-1, "shift-range")):
        assert kind(module, "bool_shift", np.array([True, False]), count, np.zeros(2, bool)) == expected


def test_parts_of_tiles_and_casts(module):
    for i, expected in ((1, ""), (2, "extract-bounds"), (-1, "extract-bounds")):
        assert kind(module, "insert", i, np.zeros(4, I32)) == expected
    for x, expected in ((2147483647.5, ""), (2147483648.0, "conversion-range"), (np.nan, "conversion-range")):
        assert kind(module, "cast", x, np.zeros(1, I32)) == expected
    for d, expected in ((1, ""), (2, "stride-index")):
        assert kind(module, "static_steps", np.array([d], I32)) == expected


def test_strided_views(module):
    """Seven elements have chunks that begin at 0, 3 and 6; the last one reaches beyond them."""
    for what in (0, 3):
        for i, expected in ((0, ""), (2, ""), (3, "partition-bounds"), (-1, "partition-bounds")):
            assert kind(module, "strided", np.zeros(7, I32), 7, i, what) == expected, (what, i)
    for what in (1, 2):
        for i, expected in ((1, ""), (2, "unmasked-partition")):
            assert kind(module, "strided", np.zeros(7, I32), 7, i, what) == expected, (what, i)
    full = np.full(7, 2**31 - 1, I32)
    assert kind(module, "strided", full, 7, 2, 4) == "integer-overflow"
    assert kind(module, "strided", np.zeros(5, I32), 7, 1, 0) == "memory-bounds"


def test_gather_scatter_views(module):
    def report(places, column, what, rows=5) -> str:
        return kind(module, "gathered", np.zeros((5, 4), I32), rows, np.array(places, I32), column, what)

    for what in (1, 2):
        assert report([4, 0], 2, what) == ""
        for places, column in (([5, 0], 0), ([0, -1], 0), ([0, 1], 3)):
            assert report(places, column, what) == "unmasked-partition", (what, places, column)
    for places, column in (
        ([5, 0], 0),
        ([-1, 9], 0),
        ([0, 1], 3),
        ([0, 1], 9),
    ):  # what is outside is left out
        assert report(places, column, 0) == report(places, column, 3) == ""
    assert report([2, 2], 0, 0) == report([2, 2], 0, 1) == "data-race"
    assert report([2, 2], 0, 3) == ""
    assert report([5, 0], 0, 2, rows=6) == "memory-bounds"


def test_indices_that_another_type_does_not_hold(module):
    """An index is checked before it is converted; one beyond a gather view is left out if it stays beyond."""
    data = np.zeros((2, 4), I32)
    for what in (0, 1, 2):
        assert kind(module, "at_long", data, 0, what) == ""
        assert kind(module, "at_long", data, 2**32, what) == "partition-bounds", what
        expected = "partition-bounds" if what == 0 else ""
        assert kind(module, "at_long", data, -9, what) == kind(module, "at_int", data, -9, what) == expected


def test_scales(module):
    out = np.zeros(4, np.float32)
    for scale, expected in ((0.5, ""), (-0.0, ""), (-0.5, "conversion-range")):
        assert kind(module, "scaled", scale, out) == expected
        assert out.tolist() == [16 * abs(scale)] * 4 or expected
