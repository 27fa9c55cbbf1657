"""Edge values of every element type: extremes, both zeros, subnormals, infinities, NaN."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from pycuda_tile.spec.element_types import NUMPY_TYPES

_TYPES = [e for e in NUMPY_TYPES.values() if e.cxx]
BOOL = np.dtype(np.bool_)
INTEGERS = [e.dtype for e in _TYPES if e.is_integral and e.dtype != BOOL]
FLOATS = [e.dtype for e in _TYPES if e.is_basic and not e.header]
SMALL_FLOATS = [e.dtype for e in _TYPES if e.is_basic and e.header]


def special(dtype: np.dtype) -> np.ndarray:
    dtype = np.dtype(dtype)
    if dtype == BOOL:
        return np.array([False, True])
    if np.issubdtype(dtype, np.integer):
        info = np.iinfo(dtype)
        values = {0, 1, 2, 3, 7, info.max, info.max - 1, info.min, info.min + 1, info.max // 2}
        if info.min < 0:
            values |= {-1, -2, -7}
        return np.array(sorted(values), dtype)
    info = ml_dtypes.finfo(dtype)
    positive = [
        0.0,
        info.smallest_subnormal,
        info.tiny,
        info.tiny * 1.5,
        info.eps,
        0.5,
        1.0,
        1.5,
        2.0,
        3.0,
        10.0,
    ]
    positive += [float(info.max), float(info.max) / 2, np.inf]
    return np.array(positive + [-v for v in positive] + [np.nan], dtype)


def mixed(dtype: np.dtype, size: int, seed: int) -> np.ndarray:
    """Special and random values in random order."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype == BOOL:
        return rng.integers(0, 2, size).astype(bool)
    if np.issubdtype(dtype, np.integer):
        info = np.iinfo(dtype)
        random = rng.integers(info.min, info.max, size, dtype=dtype, endpoint=True)
    else:
        random = (rng.standard_normal(size) * 2.0 ** rng.integers(-6, 6, size)).astype(dtype)
    edge = rng.choice(special(dtype), size)
    return np.where(rng.random(size) < 0.4, edge, random).astype(dtype)


def pairs(dtype: np.dtype, size: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two arrays that pair each special value with every other as far as `size` allows, then mixed values."""
    values = special(dtype)
    a, b = (grid.ravel() for grid in np.meshgrid(values, values))
    order = np.random.default_rng(seed).permutation(a.size)[: size // 2]
    rest = size - order.size
    return (
        np.concatenate([a[order], mixed(dtype, rest, seed + 1)]),
        np.concatenate([b[order], mixed(dtype, rest, seed + 2)]),
    )
