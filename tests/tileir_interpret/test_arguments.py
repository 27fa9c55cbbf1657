"""Arguments of `interpret`: arrays, pointers into them, strides."""

from __future__ import annotations

import numpy as np
import pytest
from tileir_modules import POINTER, Builder, tile

import pycuda_tile as pct
from pycuda_tile import tileir


def test_arguments_are_checked() -> None:
    builder = Builder(POINTER, tile("i8"), tile("f32"))
    module = builder.module()
    array = np.zeros(4, np.int32)

    def failing(*arguments, entry="kernel", grid=1, **more) -> str:
        with pytest.raises(pct.Error) as error:
            tileir.interpret(module, entry, grid, *arguments, **more)
        return str(error.value)

    assert "takes 3 arguments" in failing(array)
    assert "argument 1 'p0' (tile<ptr<i32>>) expects an array of int32" in failing(
        array.astype(np.float32), 1, 1.0
    )
    assert "argument 1 'p0'" in failing(5, 1, 1.0)
    assert "host memory or None, got int 5" in failing(5, 1, 1.0)
    assert "host memory within pycuda_tile.ptr, got NoneType None" in failing(pct.ptr(None), 1, 1.0)
    assert "C-contiguous" in failing(np.zeros(8, np.int32)[::2], 1, 1.0)
    assert "argument 2 'p1' (tile<i8>) expects an integer of 8 bits, got 256" in failing(array, 256, 1.0)
    assert "expects an integer, got float" in failing(array, 1.5, 1.0)
    assert "argument 3 'p2'" in failing(array, 1, "x")
    assert "no entry 'other'; it has: kernel" in failing(array, 1, 1.0, entry="other")
    assert "grid" in failing(array, 1, 1.0, grid=0)
    assert "grid" in failing(array, 1, 1.0, grid=(1, 1, 1, 1))
    assert "on_ub" in failing(array, 1, 1.0, on_ub="ignore")
    for seed in (-1, "x", 1.5):
        assert f"seed: expected an integer that is not negative, or None, got {seed!r}" in failing(
            array, 1, 1.0, seed=seed
        )
    with pytest.raises(pct.Error, match="expected a module of Tile IR, got NoneType"):
        tileir.equal(module, None)
    for unsigned in (array.view(np.uint32), None, pct.ptr(array, 2), pct.strided(np.zeros(8, np.int32)[::2])):
        tileir.interpret(module, "kernel", 1, unsigned, 255, 1)


def test_pointers_into_arrays_and_strides() -> None:
    builder = Builder(POINTER)
    builder.store(builder.pointers(builder.arguments[0], 2), builder.constant("i32", 7, 2))
    module = builder.module()
    array = np.zeros(4, np.int32)
    tileir.interpret(module, "kernel", 1, pct.ptr(array, 2))
    assert array.tolist() == [0, 0, 7, 7]
    with pytest.raises(pct.UndefinedBehaviorError):
        tileir.interpret(module, "kernel", 1, pct.ptr(array, 3))
    backwards = np.zeros(4, np.int32)
    with pytest.raises(pct.UndefinedBehaviorError):  # its first element is the last one in memory
        tileir.interpret(module, "kernel", 1, pct.strided(backwards[::-1]))
    tileir.interpret(module, "kernel", 1, pct.strided(backwards[::2]))
    assert backwards.tolist() == [7, 7, 0, 0]
