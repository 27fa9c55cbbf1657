"""[13.5] Bits of elements along a dimension, read as elements of another width."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike

from pycuda_tile.spec.element_types import NUMPY_TYPES


def repack(x: np.ndarray, dtype: DTypeLike, dim: int) -> np.ndarray:
    """The bits of the elements along dim are one string, low bits first, which the result reads as elements
    of dtype. A bool has one bit and fp4 four."""
    target = np.dtype(dtype)
    rows = np.moveaxis(x, dim, -1)
    octets = np.ascontiguousarray(rows).view(np.uint8).reshape(*rows.shape, x.dtype.itemsize)
    bits = np.unpackbits(octets, axis=-1, bitorder="little")[..., : _width(x.dtype)]
    string = bits.reshape(*rows.shape[:-1], -1)
    width = _width(target)
    if string.shape[-1] % width or (string.shape[-1] % 8 and target != x.dtype):
        raise TypeError(f"{string.shape[-1]} bits do not make whole elements of {target.name}")
    parts = string.reshape(*string.shape[:-1], -1, width)
    padded = np.zeros((*parts.shape[:-1], 8 * target.itemsize), np.uint8)
    padded[..., :width] = parts
    values = np.packbits(padded, axis=-1, bitorder="little").view(target)[..., 0]
    return np.ascontiguousarray(np.moveaxis(values, -1, dim))


def _width(dtype: np.dtype) -> int:
    return NUMPY_TYPES[dtype.name].bits
