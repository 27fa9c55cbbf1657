"""Kernels whose loops could load what they have stored, or more than exists: fused code has the bits of
op-by-op code and of the interpreter, whatever overlaps."""

from __future__ import annotations

import functools
from functools import partial

import numpy as np
import pytest
from open_front_end import module
from order_kernels import KERNELS, SOURCE

from pycuda_tile import tileir


@functools.cache
def made() -> tileir.Module:
    return module(SOURCE)


@functools.cache
def built(optimize: bool | str):
    return tileir.build(made(), optimize=optimize, options=("-O2" if optimize else "-O1",))


@pytest.mark.parametrize("name", KERNELS)
def test_orders(name: str):
    ways = [built(optimize).kernel(name) for optimize in ("auto", False)]
    for begins, numbers in KERNELS[name][1]:
        results = []
        for launch in (*(way[1] for way in ways), partial(tileir.interpret, made(), name, 1)):
            memory = np.random.default_rng(0).integers(-4, 5, 120000).astype(np.float32)
            launch(*(memory[begin : begin + 110000] for begin in begins), *numbers)
            results.append(memory)
        fused, by_operation, interpreted = results
        assert (fused == by_operation).all(), (begins, numbers)
        np.testing.assert_allclose(fused, interpreted, rtol=1e-6)


def test_most_of_them_are_fused():
    """Else they would show nothing."""
    plain = {name for name in KERNELS if built("auto").kernel(name).attributes["path"] != "fused"}
    assert plain <= set()
