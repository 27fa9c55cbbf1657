"""[2.3.1 to 2.3.4] Tiles of given values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from .conversions import as_operand, convert
from .scalars import integer_range, is_integral


def full(dtype: DTypeLike, shape: tuple[int, ...], value: Any) -> np.ndarray:
    """[2.3.1] `value` everywhere, converted to dtype."""
    return np.full(shape, convert(as_operand(value, np.dtype(dtype)), dtype))


def iota(dtype: DTypeLike, shape: tuple[int, ...]) -> np.ndarray:
    """[2.3.2] 0, 1, 2, ... in row-major order, in an integral type that holds them all."""
    dtype, size = np.dtype(dtype), int(np.prod(shape, dtype=np.int64))
    if not is_integral(dtype) or size - 1 > integer_range(dtype)[1]:
        raise TypeError(f"{dtype.name} does not hold the integers from 0 to {size - 1}")
    return np.arange(size).reshape(shape).astype(dtype)


def ones(dtype: DTypeLike, shape: tuple[int, ...]) -> np.ndarray:
    """[2.3.3] One, or true, everywhere."""
    return np.ones(shape, dtype)


def zeros(dtype: DTypeLike, shape: tuple[int, ...]) -> np.ndarray:
    """[2.3.4] Zero, or false, everywhere; floating point zeros are positive."""
    return np.zeros(shape, dtype)
