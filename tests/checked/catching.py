"""Arrays with one wrong element, and the violation that a kernel reports."""

from __future__ import annotations

import numpy as np
import pytest

import pycuda_tile as pct

I8, I32 = np.int8, np.int32
FEW = np.zeros(4, I32)


def out(n: int = 16, dtype=I32) -> np.ndarray:
    return np.zeros(n, dtype)


def at(index: int, value, rest=0, n: int = 8, dtype=I8) -> np.ndarray:
    """n elements, one of them `value` and the others `rest`."""
    values = np.full(n, rest, dtype)
    values[index] = value
    return values


def caught(module, name: str, *arguments, grid=1) -> pct.UndefinedBehaviorError:
    with pytest.raises(pct.UndefinedBehaviorError) as error:
        module.kernel(name)[grid](*arguments)
    return error.value
